// Written by `npm run draw` in art/.
import arrival_420_f8aa60f451a0_avif from "./pictures/arrival-420-f8aa60f451a0.avif";
import arrival_840_f8aa60f451a0_avif from "./pictures/arrival-840-f8aa60f451a0.avif";
import arrival_1240_f8aa60f451a0_avif from "./pictures/arrival-1240-f8aa60f451a0.avif";
import arrival_420_f8aa60f451a0_webp from "./pictures/arrival-420-f8aa60f451a0.webp";
import arrival_840_f8aa60f451a0_webp from "./pictures/arrival-840-f8aa60f451a0.webp";
import arrival_1240_f8aa60f451a0_webp from "./pictures/arrival-1240-f8aa60f451a0.webp";
import arrival_420_f8aa60f451a0_jpeg from "./pictures/arrival-420-f8aa60f451a0.jpeg";
import arrival_840_f8aa60f451a0_jpeg from "./pictures/arrival-840-f8aa60f451a0.jpeg";
import arrival_1240_f8aa60f451a0_jpeg from "./pictures/arrival-1240-f8aa60f451a0.jpeg";
import pool_480_ac6e66139b31_avif from "./pictures/pool-480-ac6e66139b31.avif";
import pool_800_ac6e66139b31_avif from "./pictures/pool-800-ac6e66139b31.avif";
import pool_1200_ac6e66139b31_avif from "./pictures/pool-1200-ac6e66139b31.avif";
import pool_2000_ac6e66139b31_avif from "./pictures/pool-2000-ac6e66139b31.avif";
import pool_480_ac6e66139b31_webp from "./pictures/pool-480-ac6e66139b31.webp";
import pool_800_ac6e66139b31_webp from "./pictures/pool-800-ac6e66139b31.webp";
import pool_1200_ac6e66139b31_webp from "./pictures/pool-1200-ac6e66139b31.webp";
import pool_2000_ac6e66139b31_webp from "./pictures/pool-2000-ac6e66139b31.webp";
import pool_480_ac6e66139b31_jpeg from "./pictures/pool-480-ac6e66139b31.jpeg";
import pool_800_ac6e66139b31_jpeg from "./pictures/pool-800-ac6e66139b31.jpeg";
import pool_1200_ac6e66139b31_jpeg from "./pictures/pool-1200-ac6e66139b31.jpeg";
import pool_2000_ac6e66139b31_jpeg from "./pictures/pool-2000-ac6e66139b31.jpeg";
import south10_480_d7c73c79d981_avif from "./pictures/south10-480-d7c73c79d981.avif";
import south10_800_d7c73c79d981_avif from "./pictures/south10-800-d7c73c79d981.avif";
import south10_1200_d7c73c79d981_avif from "./pictures/south10-1200-d7c73c79d981.avif";
import south10_1600_d7c73c79d981_avif from "./pictures/south10-1600-d7c73c79d981.avif";
import south10_480_d7c73c79d981_webp from "./pictures/south10-480-d7c73c79d981.webp";
import south10_800_d7c73c79d981_webp from "./pictures/south10-800-d7c73c79d981.webp";
import south10_1200_d7c73c79d981_webp from "./pictures/south10-1200-d7c73c79d981.webp";
import south10_1600_d7c73c79d981_webp from "./pictures/south10-1600-d7c73c79d981.webp";
import south10_480_d7c73c79d981_jpeg from "./pictures/south10-480-d7c73c79d981.jpeg";
import south10_800_d7c73c79d981_jpeg from "./pictures/south10-800-d7c73c79d981.jpeg";
import south10_1200_d7c73c79d981_jpeg from "./pictures/south10-1200-d7c73c79d981.jpeg";
import south10_1600_d7c73c79d981_jpeg from "./pictures/south10-1600-d7c73c79d981.jpeg";
import north10_480_9be7e6ae8799_avif from "./pictures/north10-480-9be7e6ae8799.avif";
import north10_800_9be7e6ae8799_avif from "./pictures/north10-800-9be7e6ae8799.avif";
import north10_1200_9be7e6ae8799_avif from "./pictures/north10-1200-9be7e6ae8799.avif";
import north10_1600_9be7e6ae8799_avif from "./pictures/north10-1600-9be7e6ae8799.avif";
import north10_480_9be7e6ae8799_webp from "./pictures/north10-480-9be7e6ae8799.webp";
import north10_800_9be7e6ae8799_webp from "./pictures/north10-800-9be7e6ae8799.webp";
import north10_1200_9be7e6ae8799_webp from "./pictures/north10-1200-9be7e6ae8799.webp";
import north10_1600_9be7e6ae8799_webp from "./pictures/north10-1600-9be7e6ae8799.webp";
import north10_480_9be7e6ae8799_jpeg from "./pictures/north10-480-9be7e6ae8799.jpeg";
import north10_800_9be7e6ae8799_jpeg from "./pictures/north10-800-9be7e6ae8799.jpeg";
import north10_1200_9be7e6ae8799_jpeg from "./pictures/north10-1200-9be7e6ae8799.jpeg";
import north10_1600_9be7e6ae8799_jpeg from "./pictures/north10-1600-9be7e6ae8799.jpeg";
import south20_480_28321c6661c8_avif from "./pictures/south20-480-28321c6661c8.avif";
import south20_800_28321c6661c8_avif from "./pictures/south20-800-28321c6661c8.avif";
import south20_1200_28321c6661c8_avif from "./pictures/south20-1200-28321c6661c8.avif";
import south20_1600_28321c6661c8_avif from "./pictures/south20-1600-28321c6661c8.avif";
import south20_480_28321c6661c8_webp from "./pictures/south20-480-28321c6661c8.webp";
import south20_800_28321c6661c8_webp from "./pictures/south20-800-28321c6661c8.webp";
import south20_1200_28321c6661c8_webp from "./pictures/south20-1200-28321c6661c8.webp";
import south20_1600_28321c6661c8_webp from "./pictures/south20-1600-28321c6661c8.webp";
import south20_480_28321c6661c8_jpeg from "./pictures/south20-480-28321c6661c8.jpeg";
import south20_800_28321c6661c8_jpeg from "./pictures/south20-800-28321c6661c8.jpeg";
import south20_1200_28321c6661c8_jpeg from "./pictures/south20-1200-28321c6661c8.jpeg";
import south20_1600_28321c6661c8_jpeg from "./pictures/south20-1600-28321c6661c8.jpeg";
import north20_480_8f93c94dab33_avif from "./pictures/north20-480-8f93c94dab33.avif";
import north20_800_8f93c94dab33_avif from "./pictures/north20-800-8f93c94dab33.avif";
import north20_1200_8f93c94dab33_avif from "./pictures/north20-1200-8f93c94dab33.avif";
import north20_1600_8f93c94dab33_avif from "./pictures/north20-1600-8f93c94dab33.avif";
import north20_480_8f93c94dab33_webp from "./pictures/north20-480-8f93c94dab33.webp";
import north20_800_8f93c94dab33_webp from "./pictures/north20-800-8f93c94dab33.webp";
import north20_1200_8f93c94dab33_webp from "./pictures/north20-1200-8f93c94dab33.webp";
import north20_1600_8f93c94dab33_webp from "./pictures/north20-1600-8f93c94dab33.webp";
import north20_480_8f93c94dab33_jpeg from "./pictures/north20-480-8f93c94dab33.jpeg";
import north20_800_8f93c94dab33_jpeg from "./pictures/north20-800-8f93c94dab33.jpeg";
import north20_1200_8f93c94dab33_jpeg from "./pictures/north20-1200-8f93c94dab33.jpeg";
import north20_1600_8f93c94dab33_jpeg from "./pictures/north20-1600-8f93c94dab33.jpeg";
import living_480_238218a68fef_avif from "./pictures/living-480-238218a68fef.avif";
import living_800_238218a68fef_avif from "./pictures/living-800-238218a68fef.avif";
import living_1200_238218a68fef_avif from "./pictures/living-1200-238218a68fef.avif";
import living_1600_238218a68fef_avif from "./pictures/living-1600-238218a68fef.avif";
import living_480_238218a68fef_webp from "./pictures/living-480-238218a68fef.webp";
import living_800_238218a68fef_webp from "./pictures/living-800-238218a68fef.webp";
import living_1200_238218a68fef_webp from "./pictures/living-1200-238218a68fef.webp";
import living_1600_238218a68fef_webp from "./pictures/living-1600-238218a68fef.webp";
import living_480_238218a68fef_jpeg from "./pictures/living-480-238218a68fef.jpeg";
import living_800_238218a68fef_jpeg from "./pictures/living-800-238218a68fef.jpeg";
import living_1200_238218a68fef_jpeg from "./pictures/living-1200-238218a68fef.jpeg";
import living_1600_238218a68fef_jpeg from "./pictures/living-1600-238218a68fef.jpeg";
import bedroom_480_f4668265774e_avif from "./pictures/bedroom-480-f4668265774e.avif";
import bedroom_800_f4668265774e_avif from "./pictures/bedroom-800-f4668265774e.avif";
import bedroom_1200_f4668265774e_avif from "./pictures/bedroom-1200-f4668265774e.avif";
import bedroom_480_f4668265774e_webp from "./pictures/bedroom-480-f4668265774e.webp";
import bedroom_800_f4668265774e_webp from "./pictures/bedroom-800-f4668265774e.webp";
import bedroom_1200_f4668265774e_webp from "./pictures/bedroom-1200-f4668265774e.webp";
import bedroom_480_f4668265774e_jpeg from "./pictures/bedroom-480-f4668265774e.jpeg";
import bedroom_800_f4668265774e_jpeg from "./pictures/bedroom-800-f4668265774e.jpeg";
import bedroom_1200_f4668265774e_jpeg from "./pictures/bedroom-1200-f4668265774e.jpeg";
import kitchen_480_e4914cac7afb_avif from "./pictures/kitchen-480-e4914cac7afb.avif";
import kitchen_800_e4914cac7afb_avif from "./pictures/kitchen-800-e4914cac7afb.avif";
import kitchen_1200_e4914cac7afb_avif from "./pictures/kitchen-1200-e4914cac7afb.avif";
import kitchen_1600_e4914cac7afb_avif from "./pictures/kitchen-1600-e4914cac7afb.avif";
import kitchen_480_e4914cac7afb_webp from "./pictures/kitchen-480-e4914cac7afb.webp";
import kitchen_800_e4914cac7afb_webp from "./pictures/kitchen-800-e4914cac7afb.webp";
import kitchen_1200_e4914cac7afb_webp from "./pictures/kitchen-1200-e4914cac7afb.webp";
import kitchen_1600_e4914cac7afb_webp from "./pictures/kitchen-1600-e4914cac7afb.webp";
import kitchen_480_e4914cac7afb_jpeg from "./pictures/kitchen-480-e4914cac7afb.jpeg";
import kitchen_800_e4914cac7afb_jpeg from "./pictures/kitchen-800-e4914cac7afb.jpeg";
import kitchen_1200_e4914cac7afb_jpeg from "./pictures/kitchen-1200-e4914cac7afb.jpeg";
import kitchen_1600_e4914cac7afb_jpeg from "./pictures/kitchen-1600-e4914cac7afb.jpeg";
import penthouse_640_a021b6091a7d_avif from "./pictures/penthouse-640-a021b6091a7d.avif";
import penthouse_960_a021b6091a7d_avif from "./pictures/penthouse-960-a021b6091a7d.avif";
import penthouse_1440_a021b6091a7d_avif from "./pictures/penthouse-1440-a021b6091a7d.avif";
import penthouse_2000_a021b6091a7d_avif from "./pictures/penthouse-2000-a021b6091a7d.avif";
import penthouse_640_a021b6091a7d_webp from "./pictures/penthouse-640-a021b6091a7d.webp";
import penthouse_960_a021b6091a7d_webp from "./pictures/penthouse-960-a021b6091a7d.webp";
import penthouse_1440_a021b6091a7d_webp from "./pictures/penthouse-1440-a021b6091a7d.webp";
import penthouse_2000_a021b6091a7d_webp from "./pictures/penthouse-2000-a021b6091a7d.webp";
import penthouse_640_a021b6091a7d_jpeg from "./pictures/penthouse-640-a021b6091a7d.jpeg";
import penthouse_960_a021b6091a7d_jpeg from "./pictures/penthouse-960-a021b6091a7d.jpeg";
import penthouse_1440_a021b6091a7d_jpeg from "./pictures/penthouse-1440-a021b6091a7d.jpeg";
import penthouse_2000_a021b6091a7d_jpeg from "./pictures/penthouse-2000-a021b6091a7d.jpeg";
import lobby_480_ad7243c6098e_avif from "./pictures/lobby-480-ad7243c6098e.avif";
import lobby_800_ad7243c6098e_avif from "./pictures/lobby-800-ad7243c6098e.avif";
import lobby_1200_ad7243c6098e_avif from "./pictures/lobby-1200-ad7243c6098e.avif";
import lobby_1600_ad7243c6098e_avif from "./pictures/lobby-1600-ad7243c6098e.avif";
import lobby_480_ad7243c6098e_webp from "./pictures/lobby-480-ad7243c6098e.webp";
import lobby_800_ad7243c6098e_webp from "./pictures/lobby-800-ad7243c6098e.webp";
import lobby_1200_ad7243c6098e_webp from "./pictures/lobby-1200-ad7243c6098e.webp";
import lobby_1600_ad7243c6098e_webp from "./pictures/lobby-1600-ad7243c6098e.webp";
import lobby_480_ad7243c6098e_jpeg from "./pictures/lobby-480-ad7243c6098e.jpeg";
import lobby_800_ad7243c6098e_jpeg from "./pictures/lobby-800-ad7243c6098e.jpeg";
import lobby_1200_ad7243c6098e_jpeg from "./pictures/lobby-1200-ad7243c6098e.jpeg";
import lobby_1600_ad7243c6098e_jpeg from "./pictures/lobby-1600-ad7243c6098e.jpeg";
import south40_480_70d5f925e49a_avif from "./pictures/south40-480-70d5f925e49a.avif";
import south40_800_70d5f925e49a_avif from "./pictures/south40-800-70d5f925e49a.avif";
import south40_1200_70d5f925e49a_avif from "./pictures/south40-1200-70d5f925e49a.avif";
import south40_1600_70d5f925e49a_avif from "./pictures/south40-1600-70d5f925e49a.avif";
import south40_480_70d5f925e49a_webp from "./pictures/south40-480-70d5f925e49a.webp";
import south40_800_70d5f925e49a_webp from "./pictures/south40-800-70d5f925e49a.webp";
import south40_1200_70d5f925e49a_webp from "./pictures/south40-1200-70d5f925e49a.webp";
import south40_1600_70d5f925e49a_webp from "./pictures/south40-1600-70d5f925e49a.webp";
import south40_480_70d5f925e49a_jpeg from "./pictures/south40-480-70d5f925e49a.jpeg";
import south40_800_70d5f925e49a_jpeg from "./pictures/south40-800-70d5f925e49a.jpeg";
import south40_1200_70d5f925e49a_jpeg from "./pictures/south40-1200-70d5f925e49a.jpeg";
import south40_1600_70d5f925e49a_jpeg from "./pictures/south40-1600-70d5f925e49a.jpeg";
import north40_480_f04627bad8f1_avif from "./pictures/north40-480-f04627bad8f1.avif";
import north40_800_f04627bad8f1_avif from "./pictures/north40-800-f04627bad8f1.avif";
import north40_1200_f04627bad8f1_avif from "./pictures/north40-1200-f04627bad8f1.avif";
import north40_1600_f04627bad8f1_avif from "./pictures/north40-1600-f04627bad8f1.avif";
import north40_480_f04627bad8f1_webp from "./pictures/north40-480-f04627bad8f1.webp";
import north40_800_f04627bad8f1_webp from "./pictures/north40-800-f04627bad8f1.webp";
import north40_1200_f04627bad8f1_webp from "./pictures/north40-1200-f04627bad8f1.webp";
import north40_1600_f04627bad8f1_webp from "./pictures/north40-1600-f04627bad8f1.webp";
import north40_480_f04627bad8f1_jpeg from "./pictures/north40-480-f04627bad8f1.jpeg";
import north40_800_f04627bad8f1_jpeg from "./pictures/north40-800-f04627bad8f1.jpeg";
import north40_1200_f04627bad8f1_jpeg from "./pictures/north40-1200-f04627bad8f1.jpeg";
import north40_1600_f04627bad8f1_jpeg from "./pictures/north40-1600-f04627bad8f1.jpeg";
import south60_480_efcfa3e9d589_avif from "./pictures/south60-480-efcfa3e9d589.avif";
import south60_800_efcfa3e9d589_avif from "./pictures/south60-800-efcfa3e9d589.avif";
import south60_1200_efcfa3e9d589_avif from "./pictures/south60-1200-efcfa3e9d589.avif";
import south60_1600_efcfa3e9d589_avif from "./pictures/south60-1600-efcfa3e9d589.avif";
import south60_480_efcfa3e9d589_webp from "./pictures/south60-480-efcfa3e9d589.webp";
import south60_800_efcfa3e9d589_webp from "./pictures/south60-800-efcfa3e9d589.webp";
import south60_1200_efcfa3e9d589_webp from "./pictures/south60-1200-efcfa3e9d589.webp";
import south60_1600_efcfa3e9d589_webp from "./pictures/south60-1600-efcfa3e9d589.webp";
import south60_480_efcfa3e9d589_jpeg from "./pictures/south60-480-efcfa3e9d589.jpeg";
import south60_800_efcfa3e9d589_jpeg from "./pictures/south60-800-efcfa3e9d589.jpeg";
import south60_1200_efcfa3e9d589_jpeg from "./pictures/south60-1200-efcfa3e9d589.jpeg";
import south60_1600_efcfa3e9d589_jpeg from "./pictures/south60-1600-efcfa3e9d589.jpeg";
import north60_480_4f91a27c8298_avif from "./pictures/north60-480-4f91a27c8298.avif";
import north60_800_4f91a27c8298_avif from "./pictures/north60-800-4f91a27c8298.avif";
import north60_1200_4f91a27c8298_avif from "./pictures/north60-1200-4f91a27c8298.avif";
import north60_1600_4f91a27c8298_avif from "./pictures/north60-1600-4f91a27c8298.avif";
import north60_480_4f91a27c8298_webp from "./pictures/north60-480-4f91a27c8298.webp";
import north60_800_4f91a27c8298_webp from "./pictures/north60-800-4f91a27c8298.webp";
import north60_1200_4f91a27c8298_webp from "./pictures/north60-1200-4f91a27c8298.webp";
import north60_1600_4f91a27c8298_webp from "./pictures/north60-1600-4f91a27c8298.webp";
import north60_480_4f91a27c8298_jpeg from "./pictures/north60-480-4f91a27c8298.jpeg";
import north60_800_4f91a27c8298_jpeg from "./pictures/north60-800-4f91a27c8298.jpeg";
import north60_1200_4f91a27c8298_jpeg from "./pictures/north60-1200-4f91a27c8298.jpeg";
import north60_1600_4f91a27c8298_jpeg from "./pictures/north60-1600-4f91a27c8298.jpeg";

export const pictures = {
  arrival: {
    name: "arrival",
    width: 1240,
    height: 1902,
    avif: `${arrival_420_f8aa60f451a0_avif} 420w, ${arrival_840_f8aa60f451a0_avif} 840w, ${arrival_1240_f8aa60f451a0_avif} 1240w`,
    webp: `${arrival_420_f8aa60f451a0_webp} 420w, ${arrival_840_f8aa60f451a0_webp} 840w, ${arrival_1240_f8aa60f451a0_webp} 1240w`,
    jpeg: `${arrival_420_f8aa60f451a0_jpeg} 420w, ${arrival_840_f8aa60f451a0_jpeg} 840w, ${arrival_1240_f8aa60f451a0_jpeg} 1240w`,
  },
  pool: {
    name: "pool",
    width: 2000,
    height: 1250,
    avif: `${pool_480_ac6e66139b31_avif} 480w, ${pool_800_ac6e66139b31_avif} 800w, ${pool_1200_ac6e66139b31_avif} 1200w, ${pool_2000_ac6e66139b31_avif} 2000w`,
    webp: `${pool_480_ac6e66139b31_webp} 480w, ${pool_800_ac6e66139b31_webp} 800w, ${pool_1200_ac6e66139b31_webp} 1200w, ${pool_2000_ac6e66139b31_webp} 2000w`,
    jpeg: `${pool_480_ac6e66139b31_jpeg} 480w, ${pool_800_ac6e66139b31_jpeg} 800w, ${pool_1200_ac6e66139b31_jpeg} 1200w, ${pool_2000_ac6e66139b31_jpeg} 2000w`,
  },
  south10: {
    name: "south10",
    width: 1600,
    height: 960,
    avif: `${south10_480_d7c73c79d981_avif} 480w, ${south10_800_d7c73c79d981_avif} 800w, ${south10_1200_d7c73c79d981_avif} 1200w, ${south10_1600_d7c73c79d981_avif} 1600w`,
    webp: `${south10_480_d7c73c79d981_webp} 480w, ${south10_800_d7c73c79d981_webp} 800w, ${south10_1200_d7c73c79d981_webp} 1200w, ${south10_1600_d7c73c79d981_webp} 1600w`,
    jpeg: `${south10_480_d7c73c79d981_jpeg} 480w, ${south10_800_d7c73c79d981_jpeg} 800w, ${south10_1200_d7c73c79d981_jpeg} 1200w, ${south10_1600_d7c73c79d981_jpeg} 1600w`,
  },
  north10: {
    name: "north10",
    width: 1600,
    height: 960,
    avif: `${north10_480_9be7e6ae8799_avif} 480w, ${north10_800_9be7e6ae8799_avif} 800w, ${north10_1200_9be7e6ae8799_avif} 1200w, ${north10_1600_9be7e6ae8799_avif} 1600w`,
    webp: `${north10_480_9be7e6ae8799_webp} 480w, ${north10_800_9be7e6ae8799_webp} 800w, ${north10_1200_9be7e6ae8799_webp} 1200w, ${north10_1600_9be7e6ae8799_webp} 1600w`,
    jpeg: `${north10_480_9be7e6ae8799_jpeg} 480w, ${north10_800_9be7e6ae8799_jpeg} 800w, ${north10_1200_9be7e6ae8799_jpeg} 1200w, ${north10_1600_9be7e6ae8799_jpeg} 1600w`,
  },
  south20: {
    name: "south20",
    width: 1600,
    height: 960,
    avif: `${south20_480_28321c6661c8_avif} 480w, ${south20_800_28321c6661c8_avif} 800w, ${south20_1200_28321c6661c8_avif} 1200w, ${south20_1600_28321c6661c8_avif} 1600w`,
    webp: `${south20_480_28321c6661c8_webp} 480w, ${south20_800_28321c6661c8_webp} 800w, ${south20_1200_28321c6661c8_webp} 1200w, ${south20_1600_28321c6661c8_webp} 1600w`,
    jpeg: `${south20_480_28321c6661c8_jpeg} 480w, ${south20_800_28321c6661c8_jpeg} 800w, ${south20_1200_28321c6661c8_jpeg} 1200w, ${south20_1600_28321c6661c8_jpeg} 1600w`,
  },
  north20: {
    name: "north20",
    width: 1600,
    height: 960,
    avif: `${north20_480_8f93c94dab33_avif} 480w, ${north20_800_8f93c94dab33_avif} 800w, ${north20_1200_8f93c94dab33_avif} 1200w, ${north20_1600_8f93c94dab33_avif} 1600w`,
    webp: `${north20_480_8f93c94dab33_webp} 480w, ${north20_800_8f93c94dab33_webp} 800w, ${north20_1200_8f93c94dab33_webp} 1200w, ${north20_1600_8f93c94dab33_webp} 1600w`,
    jpeg: `${north20_480_8f93c94dab33_jpeg} 480w, ${north20_800_8f93c94dab33_jpeg} 800w, ${north20_1200_8f93c94dab33_jpeg} 1200w, ${north20_1600_8f93c94dab33_jpeg} 1600w`,
  },
  living: {
    name: "living",
    width: 1600,
    height: 1000,
    avif: `${living_480_238218a68fef_avif} 480w, ${living_800_238218a68fef_avif} 800w, ${living_1200_238218a68fef_avif} 1200w, ${living_1600_238218a68fef_avif} 1600w`,
    webp: `${living_480_238218a68fef_webp} 480w, ${living_800_238218a68fef_webp} 800w, ${living_1200_238218a68fef_webp} 1200w, ${living_1600_238218a68fef_webp} 1600w`,
    jpeg: `${living_480_238218a68fef_jpeg} 480w, ${living_800_238218a68fef_jpeg} 800w, ${living_1200_238218a68fef_jpeg} 1200w, ${living_1600_238218a68fef_jpeg} 1600w`,
  },
  bedroom: {
    name: "bedroom",
    width: 1200,
    height: 750,
    avif: `${bedroom_480_f4668265774e_avif} 480w, ${bedroom_800_f4668265774e_avif} 800w, ${bedroom_1200_f4668265774e_avif} 1200w`,
    webp: `${bedroom_480_f4668265774e_webp} 480w, ${bedroom_800_f4668265774e_webp} 800w, ${bedroom_1200_f4668265774e_webp} 1200w`,
    jpeg: `${bedroom_480_f4668265774e_jpeg} 480w, ${bedroom_800_f4668265774e_jpeg} 800w, ${bedroom_1200_f4668265774e_jpeg} 1200w`,
  },
  kitchen: {
    name: "kitchen",
    width: 1600,
    height: 1000,
    avif: `${kitchen_480_e4914cac7afb_avif} 480w, ${kitchen_800_e4914cac7afb_avif} 800w, ${kitchen_1200_e4914cac7afb_avif} 1200w, ${kitchen_1600_e4914cac7afb_avif} 1600w`,
    webp: `${kitchen_480_e4914cac7afb_webp} 480w, ${kitchen_800_e4914cac7afb_webp} 800w, ${kitchen_1200_e4914cac7afb_webp} 1200w, ${kitchen_1600_e4914cac7afb_webp} 1600w`,
    jpeg: `${kitchen_480_e4914cac7afb_jpeg} 480w, ${kitchen_800_e4914cac7afb_jpeg} 800w, ${kitchen_1200_e4914cac7afb_jpeg} 1200w, ${kitchen_1600_e4914cac7afb_jpeg} 1600w`,
  },
  penthouse: {
    name: "penthouse",
    width: 2000,
    height: 1250,
    avif: `${penthouse_640_a021b6091a7d_avif} 640w, ${penthouse_960_a021b6091a7d_avif} 960w, ${penthouse_1440_a021b6091a7d_avif} 1440w, ${penthouse_2000_a021b6091a7d_avif} 2000w`,
    webp: `${penthouse_640_a021b6091a7d_webp} 640w, ${penthouse_960_a021b6091a7d_webp} 960w, ${penthouse_1440_a021b6091a7d_webp} 1440w, ${penthouse_2000_a021b6091a7d_webp} 2000w`,
    jpeg: `${penthouse_640_a021b6091a7d_jpeg} 640w, ${penthouse_960_a021b6091a7d_jpeg} 960w, ${penthouse_1440_a021b6091a7d_jpeg} 1440w, ${penthouse_2000_a021b6091a7d_jpeg} 2000w`,
  },
  lobby: {
    name: "lobby",
    width: 1600,
    height: 1000,
    avif: `${lobby_480_ad7243c6098e_avif} 480w, ${lobby_800_ad7243c6098e_avif} 800w, ${lobby_1200_ad7243c6098e_avif} 1200w, ${lobby_1600_ad7243c6098e_avif} 1600w`,
    webp: `${lobby_480_ad7243c6098e_webp} 480w, ${lobby_800_ad7243c6098e_webp} 800w, ${lobby_1200_ad7243c6098e_webp} 1200w, ${lobby_1600_ad7243c6098e_webp} 1600w`,
    jpeg: `${lobby_480_ad7243c6098e_jpeg} 480w, ${lobby_800_ad7243c6098e_jpeg} 800w, ${lobby_1200_ad7243c6098e_jpeg} 1200w, ${lobby_1600_ad7243c6098e_jpeg} 1600w`,
  },
  south40: {
    name: "south40",
    width: 1600,
    height: 960,
    avif: `${south40_480_70d5f925e49a_avif} 480w, ${south40_800_70d5f925e49a_avif} 800w, ${south40_1200_70d5f925e49a_avif} 1200w, ${south40_1600_70d5f925e49a_avif} 1600w`,
    webp: `${south40_480_70d5f925e49a_webp} 480w, ${south40_800_70d5f925e49a_webp} 800w, ${south40_1200_70d5f925e49a_webp} 1200w, ${south40_1600_70d5f925e49a_webp} 1600w`,
    jpeg: `${south40_480_70d5f925e49a_jpeg} 480w, ${south40_800_70d5f925e49a_jpeg} 800w, ${south40_1200_70d5f925e49a_jpeg} 1200w, ${south40_1600_70d5f925e49a_jpeg} 1600w`,
  },
  north40: {
    name: "north40",
    width: 1600,
    height: 960,
    avif: `${north40_480_f04627bad8f1_avif} 480w, ${north40_800_f04627bad8f1_avif} 800w, ${north40_1200_f04627bad8f1_avif} 1200w, ${north40_1600_f04627bad8f1_avif} 1600w`,
    webp: `${north40_480_f04627bad8f1_webp} 480w, ${north40_800_f04627bad8f1_webp} 800w, ${north40_1200_f04627bad8f1_webp} 1200w, ${north40_1600_f04627bad8f1_webp} 1600w`,
    jpeg: `${north40_480_f04627bad8f1_jpeg} 480w, ${north40_800_f04627bad8f1_jpeg} 800w, ${north40_1200_f04627bad8f1_jpeg} 1200w, ${north40_1600_f04627bad8f1_jpeg} 1600w`,
  },
  south60: {
    name: "south60",
    width: 1600,
    height: 960,
    avif: `${south60_480_efcfa3e9d589_avif} 480w, ${south60_800_efcfa3e9d589_avif} 800w, ${south60_1200_efcfa3e9d589_avif} 1200w, ${south60_1600_efcfa3e9d589_avif} 1600w`,
    webp: `${south60_480_efcfa3e9d589_webp} 480w, ${south60_800_efcfa3e9d589_webp} 800w, ${south60_1200_efcfa3e9d589_webp} 1200w, ${south60_1600_efcfa3e9d589_webp} 1600w`,
    jpeg: `${south60_480_efcfa3e9d589_jpeg} 480w, ${south60_800_efcfa3e9d589_jpeg} 800w, ${south60_1200_efcfa3e9d589_jpeg} 1200w, ${south60_1600_efcfa3e9d589_jpeg} 1600w`,
  },
  north60: {
    name: "north60",
    width: 1600,
    height: 960,
    avif: `${north60_480_4f91a27c8298_avif} 480w, ${north60_800_4f91a27c8298_avif} 800w, ${north60_1200_4f91a27c8298_avif} 1200w, ${north60_1600_4f91a27c8298_avif} 1600w`,
    webp: `${north60_480_4f91a27c8298_webp} 480w, ${north60_800_4f91a27c8298_webp} 800w, ${north60_1200_4f91a27c8298_webp} 1200w, ${north60_1600_4f91a27c8298_webp} 1600w`,
    jpeg: `${north60_480_4f91a27c8298_jpeg} 480w, ${north60_800_4f91a27c8298_jpeg} 800w, ${north60_1200_4f91a27c8298_jpeg} 1200w, ${north60_1600_4f91a27c8298_jpeg} 1600w`,
  },
};
