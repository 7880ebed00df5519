// Written by `npm run draw` in art/.
import hero_768_955fc1ce2f5b_avif from "./pictures/hero-768-955fc1ce2f5b.avif";
import hero_1200_955fc1ce2f5b_avif from "./pictures/hero-1200-955fc1ce2f5b.avif";
import hero_1600_955fc1ce2f5b_avif from "./pictures/hero-1600-955fc1ce2f5b.avif";
import hero_2400_955fc1ce2f5b_avif from "./pictures/hero-2400-955fc1ce2f5b.avif";
import hero_768_955fc1ce2f5b_webp from "./pictures/hero-768-955fc1ce2f5b.webp";
import hero_1200_955fc1ce2f5b_webp from "./pictures/hero-1200-955fc1ce2f5b.webp";
import hero_1600_955fc1ce2f5b_webp from "./pictures/hero-1600-955fc1ce2f5b.webp";
import hero_2400_955fc1ce2f5b_webp from "./pictures/hero-2400-955fc1ce2f5b.webp";
import hero_768_955fc1ce2f5b_jpeg from "./pictures/hero-768-955fc1ce2f5b.jpeg";
import hero_1200_955fc1ce2f5b_jpeg from "./pictures/hero-1200-955fc1ce2f5b.jpeg";
import hero_1600_955fc1ce2f5b_jpeg from "./pictures/hero-1600-955fc1ce2f5b.jpeg";
import hero_2400_955fc1ce2f5b_jpeg from "./pictures/hero-2400-955fc1ce2f5b.jpeg";
import heroPhone_480_e32914ab1324_avif from "./pictures/heroPhone-480-e32914ab1324.avif";
import heroPhone_740_e32914ab1324_avif from "./pictures/heroPhone-740-e32914ab1324.avif";
import heroPhone_880_e32914ab1324_avif from "./pictures/heroPhone-880-e32914ab1324.avif";
import heroPhone_480_e32914ab1324_webp from "./pictures/heroPhone-480-e32914ab1324.webp";
import heroPhone_740_e32914ab1324_webp from "./pictures/heroPhone-740-e32914ab1324.webp";
import heroPhone_880_e32914ab1324_webp from "./pictures/heroPhone-880-e32914ab1324.webp";
import heroPhone_480_e32914ab1324_jpeg from "./pictures/heroPhone-480-e32914ab1324.jpeg";
import heroPhone_740_e32914ab1324_jpeg from "./pictures/heroPhone-740-e32914ab1324.jpeg";
import heroPhone_880_e32914ab1324_jpeg from "./pictures/heroPhone-880-e32914ab1324.jpeg";

export const pictures = {
  hero: {
    name: "hero",
    width: 2400,
    height: 1000,
    avif: `${hero_768_955fc1ce2f5b_avif} 768w, ${hero_1200_955fc1ce2f5b_avif} 1200w, ${hero_1600_955fc1ce2f5b_avif} 1600w, ${hero_2400_955fc1ce2f5b_avif} 2400w`,
    webp: `${hero_768_955fc1ce2f5b_webp} 768w, ${hero_1200_955fc1ce2f5b_webp} 1200w, ${hero_1600_955fc1ce2f5b_webp} 1600w, ${hero_2400_955fc1ce2f5b_webp} 2400w`,
    jpeg: `${hero_768_955fc1ce2f5b_jpeg} 768w, ${hero_1200_955fc1ce2f5b_jpeg} 1200w, ${hero_1600_955fc1ce2f5b_jpeg} 1600w, ${hero_2400_955fc1ce2f5b_jpeg} 2400w`,
  },
  heroPhone: {
    name: "heroPhone",
    width: 880,
    height: 880,
    avif: `${heroPhone_480_e32914ab1324_avif} 480w, ${heroPhone_740_e32914ab1324_avif} 740w, ${heroPhone_880_e32914ab1324_avif} 880w`,
    webp: `${heroPhone_480_e32914ab1324_webp} 480w, ${heroPhone_740_e32914ab1324_webp} 740w, ${heroPhone_880_e32914ab1324_webp} 880w`,
    jpeg: `${heroPhone_480_e32914ab1324_jpeg} 480w, ${heroPhone_740_e32914ab1324_jpeg} 740w, ${heroPhone_880_e32914ab1324_jpeg} 880w`,
  },
};
