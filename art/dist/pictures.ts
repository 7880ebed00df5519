// Written by `npm run draw` in art/.
import arrival_420_353fd1e7b6d4_avif from "./pictures/arrival-420-353fd1e7b6d4.avif";
import arrival_840_353fd1e7b6d4_avif from "./pictures/arrival-840-353fd1e7b6d4.avif";
import arrival_1240_353fd1e7b6d4_avif from "./pictures/arrival-1240-353fd1e7b6d4.avif";
import arrival_420_353fd1e7b6d4_jpeg from "./pictures/arrival-420-353fd1e7b6d4.jpeg";
import arrival_840_353fd1e7b6d4_jpeg from "./pictures/arrival-840-353fd1e7b6d4.jpeg";
import arrival_1240_353fd1e7b6d4_jpeg from "./pictures/arrival-1240-353fd1e7b6d4.jpeg";
import pool_480_04d6ce990811_avif from "./pictures/pool-480-04d6ce990811.avif";
import pool_800_04d6ce990811_avif from "./pictures/pool-800-04d6ce990811.avif";
import pool_1200_04d6ce990811_avif from "./pictures/pool-1200-04d6ce990811.avif";
import pool_2000_04d6ce990811_avif from "./pictures/pool-2000-04d6ce990811.avif";
import pool_480_04d6ce990811_jpeg from "./pictures/pool-480-04d6ce990811.jpeg";
import pool_800_04d6ce990811_jpeg from "./pictures/pool-800-04d6ce990811.jpeg";
import pool_1200_04d6ce990811_jpeg from "./pictures/pool-1200-04d6ce990811.jpeg";
import pool_2000_04d6ce990811_jpeg from "./pictures/pool-2000-04d6ce990811.jpeg";
import south10_480_76d9ef356426_avif from "./pictures/south10-480-76d9ef356426.avif";
import south10_800_76d9ef356426_avif from "./pictures/south10-800-76d9ef356426.avif";
import south10_1200_76d9ef356426_avif from "./pictures/south10-1200-76d9ef356426.avif";
import south10_1600_76d9ef356426_avif from "./pictures/south10-1600-76d9ef356426.avif";
import south10_480_76d9ef356426_jpeg from "./pictures/south10-480-76d9ef356426.jpeg";
import south10_800_76d9ef356426_jpeg from "./pictures/south10-800-76d9ef356426.jpeg";
import south10_1200_76d9ef356426_jpeg from "./pictures/south10-1200-76d9ef356426.jpeg";
import south10_1600_76d9ef356426_jpeg from "./pictures/south10-1600-76d9ef356426.jpeg";
import north10_480_bbabe9a0d9a7_avif from "./pictures/north10-480-bbabe9a0d9a7.avif";
import north10_800_bbabe9a0d9a7_avif from "./pictures/north10-800-bbabe9a0d9a7.avif";
import north10_1200_bbabe9a0d9a7_avif from "./pictures/north10-1200-bbabe9a0d9a7.avif";
import north10_1600_bbabe9a0d9a7_avif from "./pictures/north10-1600-bbabe9a0d9a7.avif";
import north10_480_bbabe9a0d9a7_jpeg from "./pictures/north10-480-bbabe9a0d9a7.jpeg";
import north10_800_bbabe9a0d9a7_jpeg from "./pictures/north10-800-bbabe9a0d9a7.jpeg";
import north10_1200_bbabe9a0d9a7_jpeg from "./pictures/north10-1200-bbabe9a0d9a7.jpeg";
import north10_1600_bbabe9a0d9a7_jpeg from "./pictures/north10-1600-bbabe9a0d9a7.jpeg";
import south20_480_8e91adb167b4_avif from "./pictures/south20-480-8e91adb167b4.avif";
import south20_800_8e91adb167b4_avif from "./pictures/south20-800-8e91adb167b4.avif";
import south20_1200_8e91adb167b4_avif from "./pictures/south20-1200-8e91adb167b4.avif";
import south20_1600_8e91adb167b4_avif from "./pictures/south20-1600-8e91adb167b4.avif";
import south20_480_8e91adb167b4_jpeg from "./pictures/south20-480-8e91adb167b4.jpeg";
import south20_800_8e91adb167b4_jpeg from "./pictures/south20-800-8e91adb167b4.jpeg";
import south20_1200_8e91adb167b4_jpeg from "./pictures/south20-1200-8e91adb167b4.jpeg";
import south20_1600_8e91adb167b4_jpeg from "./pictures/south20-1600-8e91adb167b4.jpeg";
import north20_480_6fc15b4f6796_avif from "./pictures/north20-480-6fc15b4f6796.avif";
import north20_800_6fc15b4f6796_avif from "./pictures/north20-800-6fc15b4f6796.avif";
import north20_1200_6fc15b4f6796_avif from "./pictures/north20-1200-6fc15b4f6796.avif";
import north20_1600_6fc15b4f6796_avif from "./pictures/north20-1600-6fc15b4f6796.avif";
import north20_480_6fc15b4f6796_jpeg from "./pictures/north20-480-6fc15b4f6796.jpeg";
import north20_800_6fc15b4f6796_jpeg from "./pictures/north20-800-6fc15b4f6796.jpeg";
import north20_1200_6fc15b4f6796_jpeg from "./pictures/north20-1200-6fc15b4f6796.jpeg";
import north20_1600_6fc15b4f6796_jpeg from "./pictures/north20-1600-6fc15b4f6796.jpeg";
import living_480_9cb422c54d68_avif from "./pictures/living-480-9cb422c54d68.avif";
import living_800_9cb422c54d68_avif from "./pictures/living-800-9cb422c54d68.avif";
import living_1200_9cb422c54d68_avif from "./pictures/living-1200-9cb422c54d68.avif";
import living_480_9cb422c54d68_jpeg from "./pictures/living-480-9cb422c54d68.jpeg";
import living_800_9cb422c54d68_jpeg from "./pictures/living-800-9cb422c54d68.jpeg";
import living_1200_9cb422c54d68_jpeg from "./pictures/living-1200-9cb422c54d68.jpeg";
import bedroom_480_188a406382ce_avif from "./pictures/bedroom-480-188a406382ce.avif";
import bedroom_800_188a406382ce_avif from "./pictures/bedroom-800-188a406382ce.avif";
import bedroom_1200_188a406382ce_avif from "./pictures/bedroom-1200-188a406382ce.avif";
import bedroom_480_188a406382ce_jpeg from "./pictures/bedroom-480-188a406382ce.jpeg";
import bedroom_800_188a406382ce_jpeg from "./pictures/bedroom-800-188a406382ce.jpeg";
import bedroom_1200_188a406382ce_jpeg from "./pictures/bedroom-1200-188a406382ce.jpeg";
import kitchen_480_6f6555d15fd4_avif from "./pictures/kitchen-480-6f6555d15fd4.avif";
import kitchen_800_6f6555d15fd4_avif from "./pictures/kitchen-800-6f6555d15fd4.avif";
import kitchen_1200_6f6555d15fd4_avif from "./pictures/kitchen-1200-6f6555d15fd4.avif";
import kitchen_1600_6f6555d15fd4_avif from "./pictures/kitchen-1600-6f6555d15fd4.avif";
import kitchen_480_6f6555d15fd4_jpeg from "./pictures/kitchen-480-6f6555d15fd4.jpeg";
import kitchen_800_6f6555d15fd4_jpeg from "./pictures/kitchen-800-6f6555d15fd4.jpeg";
import kitchen_1200_6f6555d15fd4_jpeg from "./pictures/kitchen-1200-6f6555d15fd4.jpeg";
import kitchen_1600_6f6555d15fd4_jpeg from "./pictures/kitchen-1600-6f6555d15fd4.jpeg";
import penthouse_480_fdf7715dcef1_avif from "./pictures/penthouse-480-fdf7715dcef1.avif";
import penthouse_800_fdf7715dcef1_avif from "./pictures/penthouse-800-fdf7715dcef1.avif";
import penthouse_1200_fdf7715dcef1_avif from "./pictures/penthouse-1200-fdf7715dcef1.avif";
import penthouse_1600_fdf7715dcef1_avif from "./pictures/penthouse-1600-fdf7715dcef1.avif";
import penthouse_480_fdf7715dcef1_jpeg from "./pictures/penthouse-480-fdf7715dcef1.jpeg";
import penthouse_800_fdf7715dcef1_jpeg from "./pictures/penthouse-800-fdf7715dcef1.jpeg";
import penthouse_1200_fdf7715dcef1_jpeg from "./pictures/penthouse-1200-fdf7715dcef1.jpeg";
import penthouse_1600_fdf7715dcef1_jpeg from "./pictures/penthouse-1600-fdf7715dcef1.jpeg";
import lobby_480_a2393bd14781_avif from "./pictures/lobby-480-a2393bd14781.avif";
import lobby_800_a2393bd14781_avif from "./pictures/lobby-800-a2393bd14781.avif";
import lobby_1200_a2393bd14781_avif from "./pictures/lobby-1200-a2393bd14781.avif";
import lobby_1600_a2393bd14781_avif from "./pictures/lobby-1600-a2393bd14781.avif";
import lobby_480_a2393bd14781_jpeg from "./pictures/lobby-480-a2393bd14781.jpeg";
import lobby_800_a2393bd14781_jpeg from "./pictures/lobby-800-a2393bd14781.jpeg";
import lobby_1200_a2393bd14781_jpeg from "./pictures/lobby-1200-a2393bd14781.jpeg";
import lobby_1600_a2393bd14781_jpeg from "./pictures/lobby-1600-a2393bd14781.jpeg";
import south40_480_8de112050bbb_avif from "./pictures/south40-480-8de112050bbb.avif";
import south40_800_8de112050bbb_avif from "./pictures/south40-800-8de112050bbb.avif";
import south40_1200_8de112050bbb_avif from "./pictures/south40-1200-8de112050bbb.avif";
import south40_1600_8de112050bbb_avif from "./pictures/south40-1600-8de112050bbb.avif";
import south40_480_8de112050bbb_jpeg from "./pictures/south40-480-8de112050bbb.jpeg";
import south40_800_8de112050bbb_jpeg from "./pictures/south40-800-8de112050bbb.jpeg";
import south40_1200_8de112050bbb_jpeg from "./pictures/south40-1200-8de112050bbb.jpeg";
import south40_1600_8de112050bbb_jpeg from "./pictures/south40-1600-8de112050bbb.jpeg";
import north40_480_89d201e0771a_avif from "./pictures/north40-480-89d201e0771a.avif";
import north40_800_89d201e0771a_avif from "./pictures/north40-800-89d201e0771a.avif";
import north40_1200_89d201e0771a_avif from "./pictures/north40-1200-89d201e0771a.avif";
import north40_1600_89d201e0771a_avif from "./pictures/north40-1600-89d201e0771a.avif";
import north40_480_89d201e0771a_jpeg from "./pictures/north40-480-89d201e0771a.jpeg";
import north40_800_89d201e0771a_jpeg from "./pictures/north40-800-89d201e0771a.jpeg";
import north40_1200_89d201e0771a_jpeg from "./pictures/north40-1200-89d201e0771a.jpeg";
import north40_1600_89d201e0771a_jpeg from "./pictures/north40-1600-89d201e0771a.jpeg";
import south60_480_09d73d715ca3_avif from "./pictures/south60-480-09d73d715ca3.avif";
import south60_800_09d73d715ca3_avif from "./pictures/south60-800-09d73d715ca3.avif";
import south60_1200_09d73d715ca3_avif from "./pictures/south60-1200-09d73d715ca3.avif";
import south60_1600_09d73d715ca3_avif from "./pictures/south60-1600-09d73d715ca3.avif";
import south60_480_09d73d715ca3_jpeg from "./pictures/south60-480-09d73d715ca3.jpeg";
import south60_800_09d73d715ca3_jpeg from "./pictures/south60-800-09d73d715ca3.jpeg";
import south60_1200_09d73d715ca3_jpeg from "./pictures/south60-1200-09d73d715ca3.jpeg";
import south60_1600_09d73d715ca3_jpeg from "./pictures/south60-1600-09d73d715ca3.jpeg";
import north60_480_f9c4abb1a98f_avif from "./pictures/north60-480-f9c4abb1a98f.avif";
import north60_800_f9c4abb1a98f_avif from "./pictures/north60-800-f9c4abb1a98f.avif";
import north60_1200_f9c4abb1a98f_avif from "./pictures/north60-1200-f9c4abb1a98f.avif";
import north60_1600_f9c4abb1a98f_avif from "./pictures/north60-1600-f9c4abb1a98f.avif";
import north60_480_f9c4abb1a98f_jpeg from "./pictures/north60-480-f9c4abb1a98f.jpeg";
import north60_800_f9c4abb1a98f_jpeg from "./pictures/north60-800-f9c4abb1a98f.jpeg";
import north60_1200_f9c4abb1a98f_jpeg from "./pictures/north60-1200-f9c4abb1a98f.jpeg";
import north60_1600_f9c4abb1a98f_jpeg from "./pictures/north60-1600-f9c4abb1a98f.jpeg";

export const pictures = {
  arrival: {
    name: "arrival",
    width: 1240,
    height: 1902,
    avif: `${arrival_420_353fd1e7b6d4_avif} 420w, ${arrival_840_353fd1e7b6d4_avif} 840w, ${arrival_1240_353fd1e7b6d4_avif} 1240w`,
    jpeg: `${arrival_420_353fd1e7b6d4_jpeg} 420w, ${arrival_840_353fd1e7b6d4_jpeg} 840w, ${arrival_1240_353fd1e7b6d4_jpeg} 1240w`,
  },
  pool: {
    name: "pool",
    width: 2000,
    height: 1250,
    avif: `${pool_480_04d6ce990811_avif} 480w, ${pool_800_04d6ce990811_avif} 800w, ${pool_1200_04d6ce990811_avif} 1200w, ${pool_2000_04d6ce990811_avif} 2000w`,
    jpeg: `${pool_480_04d6ce990811_jpeg} 480w, ${pool_800_04d6ce990811_jpeg} 800w, ${pool_1200_04d6ce990811_jpeg} 1200w, ${pool_2000_04d6ce990811_jpeg} 2000w`,
  },
  south10: {
    name: "south10",
    width: 1600,
    height: 960,
    avif: `${south10_480_76d9ef356426_avif} 480w, ${south10_800_76d9ef356426_avif} 800w, ${south10_1200_76d9ef356426_avif} 1200w, ${south10_1600_76d9ef356426_avif} 1600w`,
    jpeg: `${south10_480_76d9ef356426_jpeg} 480w, ${south10_800_76d9ef356426_jpeg} 800w, ${south10_1200_76d9ef356426_jpeg} 1200w, ${south10_1600_76d9ef356426_jpeg} 1600w`,
  },
  north10: {
    name: "north10",
    width: 1600,
    height: 960,
    avif: `${north10_480_bbabe9a0d9a7_avif} 480w, ${north10_800_bbabe9a0d9a7_avif} 800w, ${north10_1200_bbabe9a0d9a7_avif} 1200w, ${north10_1600_bbabe9a0d9a7_avif} 1600w`,
    jpeg: `${north10_480_bbabe9a0d9a7_jpeg} 480w, ${north10_800_bbabe9a0d9a7_jpeg} 800w, ${north10_1200_bbabe9a0d9a7_jpeg} 1200w, ${north10_1600_bbabe9a0d9a7_jpeg} 1600w`,
  },
  south20: {
    name: "south20",
    width: 1600,
    height: 960,
    avif: `${south20_480_8e91adb167b4_avif} 480w, ${south20_800_8e91adb167b4_avif} 800w, ${south20_1200_8e91adb167b4_avif} 1200w, ${south20_1600_8e91adb167b4_avif} 1600w`,
    jpeg: `${south20_480_8e91adb167b4_jpeg} 480w, ${south20_800_8e91adb167b4_jpeg} 800w, ${south20_1200_8e91adb167b4_jpeg} 1200w, ${south20_1600_8e91adb167b4_jpeg} 1600w`,
  },
  north20: {
    name: "north20",
    width: 1600,
    height: 960,
    avif: `${north20_480_6fc15b4f6796_avif} 480w, ${north20_800_6fc15b4f6796_avif} 800w, ${north20_1200_6fc15b4f6796_avif} 1200w, ${north20_1600_6fc15b4f6796_avif} 1600w`,
    jpeg: `${north20_480_6fc15b4f6796_jpeg} 480w, ${north20_800_6fc15b4f6796_jpeg} 800w, ${north20_1200_6fc15b4f6796_jpeg} 1200w, ${north20_1600_6fc15b4f6796_jpeg} 1600w`,
  },
  living: {
    name: "living",
    width: 1200,
    height: 750,
    avif: `${living_480_9cb422c54d68_avif} 480w, ${living_800_9cb422c54d68_avif} 800w, ${living_1200_9cb422c54d68_avif} 1200w`,
    jpeg: `${living_480_9cb422c54d68_jpeg} 480w, ${living_800_9cb422c54d68_jpeg} 800w, ${living_1200_9cb422c54d68_jpeg} 1200w`,
  },
  bedroom: {
    name: "bedroom",
    width: 1200,
    height: 750,
    avif: `${bedroom_480_188a406382ce_avif} 480w, ${bedroom_800_188a406382ce_avif} 800w, ${bedroom_1200_188a406382ce_avif} 1200w`,
    jpeg: `${bedroom_480_188a406382ce_jpeg} 480w, ${bedroom_800_188a406382ce_jpeg} 800w, ${bedroom_1200_188a406382ce_jpeg} 1200w`,
  },
  kitchen: {
    name: "kitchen",
    width: 1600,
    height: 1000,
    avif: `${kitchen_480_6f6555d15fd4_avif} 480w, ${kitchen_800_6f6555d15fd4_avif} 800w, ${kitchen_1200_6f6555d15fd4_avif} 1200w, ${kitchen_1600_6f6555d15fd4_avif} 1600w`,
    jpeg: `${kitchen_480_6f6555d15fd4_jpeg} 480w, ${kitchen_800_6f6555d15fd4_jpeg} 800w, ${kitchen_1200_6f6555d15fd4_jpeg} 1200w, ${kitchen_1600_6f6555d15fd4_jpeg} 1600w`,
  },
  penthouse: {
    name: "penthouse",
    width: 1600,
    height: 1000,
    avif: `${penthouse_480_fdf7715dcef1_avif} 480w, ${penthouse_800_fdf7715dcef1_avif} 800w, ${penthouse_1200_fdf7715dcef1_avif} 1200w, ${penthouse_1600_fdf7715dcef1_avif} 1600w`,
    jpeg: `${penthouse_480_fdf7715dcef1_jpeg} 480w, ${penthouse_800_fdf7715dcef1_jpeg} 800w, ${penthouse_1200_fdf7715dcef1_jpeg} 1200w, ${penthouse_1600_fdf7715dcef1_jpeg} 1600w`,
  },
  lobby: {
    name: "lobby",
    width: 1600,
    height: 1000,
    avif: `${lobby_480_a2393bd14781_avif} 480w, ${lobby_800_a2393bd14781_avif} 800w, ${lobby_1200_a2393bd14781_avif} 1200w, ${lobby_1600_a2393bd14781_avif} 1600w`,
    jpeg: `${lobby_480_a2393bd14781_jpeg} 480w, ${lobby_800_a2393bd14781_jpeg} 800w, ${lobby_1200_a2393bd14781_jpeg} 1200w, ${lobby_1600_a2393bd14781_jpeg} 1600w`,
  },
  south40: {
    name: "south40",
    width: 1600,
    height: 960,
    avif: `${south40_480_8de112050bbb_avif} 480w, ${south40_800_8de112050bbb_avif} 800w, ${south40_1200_8de112050bbb_avif} 1200w, ${south40_1600_8de112050bbb_avif} 1600w`,
    jpeg: `${south40_480_8de112050bbb_jpeg} 480w, ${south40_800_8de112050bbb_jpeg} 800w, ${south40_1200_8de112050bbb_jpeg} 1200w, ${south40_1600_8de112050bbb_jpeg} 1600w`,
  },
  north40: {
    name: "north40",
    width: 1600,
    height: 960,
    avif: `${north40_480_89d201e0771a_avif} 480w, ${north40_800_89d201e0771a_avif} 800w, ${north40_1200_89d201e0771a_avif} 1200w, ${north40_1600_89d201e0771a_avif} 1600w`,
    jpeg: `${north40_480_89d201e0771a_jpeg} 480w, ${north40_800_89d201e0771a_jpeg} 800w, ${north40_1200_89d201e0771a_jpeg} 1200w, ${north40_1600_89d201e0771a_jpeg} 1600w`,
  },
  south60: {
    name: "south60",
    width: 1600,
    height: 960,
    avif: `${south60_480_09d73d715ca3_avif} 480w, ${south60_800_09d73d715ca3_avif} 800w, ${south60_1200_09d73d715ca3_avif} 1200w, ${south60_1600_09d73d715ca3_avif} 1600w`,
    jpeg: `${south60_480_09d73d715ca3_jpeg} 480w, ${south60_800_09d73d715ca3_jpeg} 800w, ${south60_1200_09d73d715ca3_jpeg} 1200w, ${south60_1600_09d73d715ca3_jpeg} 1600w`,
  },
  north60: {
    name: "north60",
    width: 1600,
    height: 960,
    avif: `${north60_480_f9c4abb1a98f_avif} 480w, ${north60_800_f9c4abb1a98f_avif} 800w, ${north60_1200_f9c4abb1a98f_avif} 1200w, ${north60_1600_f9c4abb1a98f_avif} 1600w`,
    jpeg: `${north60_480_f9c4abb1a98f_jpeg} 480w, ${north60_800_f9c4abb1a98f_jpeg} 800w, ${north60_1200_f9c4abb1a98f_jpeg} 1200w, ${north60_1600_f9c4abb1a98f_jpeg} 1600w`,
  },
};
