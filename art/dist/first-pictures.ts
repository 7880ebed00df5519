// Written by `npm run draw` in art/.
import hero_768_a0621e8fe373_avif from "./pictures/hero-768-a0621e8fe373.avif";
import hero_1200_a0621e8fe373_avif from "./pictures/hero-1200-a0621e8fe373.avif";
import hero_1600_a0621e8fe373_avif from "./pictures/hero-1600-a0621e8fe373.avif";
import hero_2400_a0621e8fe373_avif from "./pictures/hero-2400-a0621e8fe373.avif";
import hero_768_a0621e8fe373_jpeg from "./pictures/hero-768-a0621e8fe373.jpeg";
import hero_1200_a0621e8fe373_jpeg from "./pictures/hero-1200-a0621e8fe373.jpeg";
import hero_1600_a0621e8fe373_jpeg from "./pictures/hero-1600-a0621e8fe373.jpeg";
import hero_2400_a0621e8fe373_jpeg from "./pictures/hero-2400-a0621e8fe373.jpeg";
import heroPhone_480_e2d1cb5d2366_avif from "./pictures/heroPhone-480-e2d1cb5d2366.avif";
import heroPhone_740_e2d1cb5d2366_avif from "./pictures/heroPhone-740-e2d1cb5d2366.avif";
import heroPhone_880_e2d1cb5d2366_avif from "./pictures/heroPhone-880-e2d1cb5d2366.avif";
import heroPhone_480_e2d1cb5d2366_jpeg from "./pictures/heroPhone-480-e2d1cb5d2366.jpeg";
import heroPhone_740_e2d1cb5d2366_jpeg from "./pictures/heroPhone-740-e2d1cb5d2366.jpeg";
import heroPhone_880_e2d1cb5d2366_jpeg from "./pictures/heroPhone-880-e2d1cb5d2366.jpeg";

export const pictures = {
  hero: {
    name: "hero",
    width: 2400,
    height: 1000,
    avif: `${hero_768_a0621e8fe373_avif} 768w, ${hero_1200_a0621e8fe373_avif} 1200w, ${hero_1600_a0621e8fe373_avif} 1600w, ${hero_2400_a0621e8fe373_avif} 2400w`,
    jpeg: `${hero_768_a0621e8fe373_jpeg} 768w, ${hero_1200_a0621e8fe373_jpeg} 1200w, ${hero_1600_a0621e8fe373_jpeg} 1600w, ${hero_2400_a0621e8fe373_jpeg} 2400w`,
  },
  heroPhone: {
    name: "heroPhone",
    width: 880,
    height: 880,
    avif: `${heroPhone_480_e2d1cb5d2366_avif} 480w, ${heroPhone_740_e2d1cb5d2366_avif} 740w, ${heroPhone_880_e2d1cb5d2366_avif} 880w`,
    jpeg: `${heroPhone_480_e2d1cb5d2366_jpeg} 480w, ${heroPhone_740_e2d1cb5d2366_jpeg} 740w, ${heroPhone_880_e2d1cb5d2366_jpeg} 880w`,
  },
};
