// Written by `npm run draw` in art/.
import hero_768_ae0e3362bd98_avif from "./pictures/hero-768-ae0e3362bd98.avif";
import hero_1200_ae0e3362bd98_avif from "./pictures/hero-1200-ae0e3362bd98.avif";
import hero_1600_ae0e3362bd98_avif from "./pictures/hero-1600-ae0e3362bd98.avif";
import hero_2400_ae0e3362bd98_avif from "./pictures/hero-2400-ae0e3362bd98.avif";
import hero_768_ae0e3362bd98_webp from "./pictures/hero-768-ae0e3362bd98.webp";
import hero_1200_ae0e3362bd98_webp from "./pictures/hero-1200-ae0e3362bd98.webp";
import hero_1600_ae0e3362bd98_webp from "./pictures/hero-1600-ae0e3362bd98.webp";
import hero_2400_ae0e3362bd98_webp from "./pictures/hero-2400-ae0e3362bd98.webp";
import hero_768_ae0e3362bd98_jpeg from "./pictures/hero-768-ae0e3362bd98.jpeg";
import hero_1200_ae0e3362bd98_jpeg from "./pictures/hero-1200-ae0e3362bd98.jpeg";
import hero_1600_ae0e3362bd98_jpeg from "./pictures/hero-1600-ae0e3362bd98.jpeg";
import hero_2400_ae0e3362bd98_jpeg from "./pictures/hero-2400-ae0e3362bd98.jpeg";
import heroPhone_480_2e32a3c3b2a3_avif from "./pictures/heroPhone-480-2e32a3c3b2a3.avif";
import heroPhone_740_2e32a3c3b2a3_avif from "./pictures/heroPhone-740-2e32a3c3b2a3.avif";
import heroPhone_880_2e32a3c3b2a3_avif from "./pictures/heroPhone-880-2e32a3c3b2a3.avif";
import heroPhone_480_2e32a3c3b2a3_webp from "./pictures/heroPhone-480-2e32a3c3b2a3.webp";
import heroPhone_740_2e32a3c3b2a3_webp from "./pictures/heroPhone-740-2e32a3c3b2a3.webp";
import heroPhone_880_2e32a3c3b2a3_webp from "./pictures/heroPhone-880-2e32a3c3b2a3.webp";
import heroPhone_480_2e32a3c3b2a3_jpeg from "./pictures/heroPhone-480-2e32a3c3b2a3.jpeg";
import heroPhone_740_2e32a3c3b2a3_jpeg from "./pictures/heroPhone-740-2e32a3c3b2a3.jpeg";
import heroPhone_880_2e32a3c3b2a3_jpeg from "./pictures/heroPhone-880-2e32a3c3b2a3.jpeg";

export const pictures = {
  hero: {
    name: "hero",
    width: 2400,
    height: 1000,
    avif: `${hero_768_ae0e3362bd98_avif} 768w, ${hero_1200_ae0e3362bd98_avif} 1200w, ${hero_1600_ae0e3362bd98_avif} 1600w, ${hero_2400_ae0e3362bd98_avif} 2400w`,
    webp: `${hero_768_ae0e3362bd98_webp} 768w, ${hero_1200_ae0e3362bd98_webp} 1200w, ${hero_1600_ae0e3362bd98_webp} 1600w, ${hero_2400_ae0e3362bd98_webp} 2400w`,
    jpeg: `${hero_768_ae0e3362bd98_jpeg} 768w, ${hero_1200_ae0e3362bd98_jpeg} 1200w, ${hero_1600_ae0e3362bd98_jpeg} 1600w, ${hero_2400_ae0e3362bd98_jpeg} 2400w`,
  },
  heroPhone: {
    name: "heroPhone",
    width: 880,
    height: 880,
    avif: `${heroPhone_480_2e32a3c3b2a3_avif} 480w, ${heroPhone_740_2e32a3c3b2a3_avif} 740w, ${heroPhone_880_2e32a3c3b2a3_avif} 880w`,
    webp: `${heroPhone_480_2e32a3c3b2a3_webp} 480w, ${heroPhone_740_2e32a3c3b2a3_webp} 740w, ${heroPhone_880_2e32a3c3b2a3_webp} 880w`,
    jpeg: `${heroPhone_480_2e32a3c3b2a3_jpeg} 480w, ${heroPhone_740_2e32a3c3b2a3_jpeg} 740w, ${heroPhone_880_2e32a3c3b2a3_jpeg} 880w`,
  },
};
