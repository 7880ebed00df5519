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
import north10_480_f0cbc1d291ce_avif from "./pictures/north10-480-f0cbc1d291ce.avif";
import north10_800_f0cbc1d291ce_avif from "./pictures/north10-800-f0cbc1d291ce.avif";
import north10_1200_f0cbc1d291ce_avif from "./pictures/north10-1200-f0cbc1d291ce.avif";
import north10_1600_f0cbc1d291ce_avif from "./pictures/north10-1600-f0cbc1d291ce.avif";
import north10_480_f0cbc1d291ce_webp from "./pictures/north10-480-f0cbc1d291ce.webp";
import north10_800_f0cbc1d291ce_webp from "./pictures/north10-800-f0cbc1d291ce.webp";
import north10_1200_f0cbc1d291ce_webp from "./pictures/north10-1200-f0cbc1d291ce.webp";
import north10_1600_f0cbc1d291ce_webp from "./pictures/north10-1600-f0cbc1d291ce.webp";
import north10_480_f0cbc1d291ce_jpeg from "./pictures/north10-480-f0cbc1d291ce.jpeg";
import north10_800_f0cbc1d291ce_jpeg from "./pictures/north10-800-f0cbc1d291ce.jpeg";
import north10_1200_f0cbc1d291ce_jpeg from "./pictures/north10-1200-f0cbc1d291ce.jpeg";
import north10_1600_f0cbc1d291ce_jpeg from "./pictures/north10-1600-f0cbc1d291ce.jpeg";
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
import north20_480_c69cc6b3b50e_avif from "./pictures/north20-480-c69cc6b3b50e.avif";
import north20_800_c69cc6b3b50e_avif from "./pictures/north20-800-c69cc6b3b50e.avif";
import north20_1200_c69cc6b3b50e_avif from "./pictures/north20-1200-c69cc6b3b50e.avif";
import north20_1600_c69cc6b3b50e_avif from "./pictures/north20-1600-c69cc6b3b50e.avif";
import north20_480_c69cc6b3b50e_webp from "./pictures/north20-480-c69cc6b3b50e.webp";
import north20_800_c69cc6b3b50e_webp from "./pictures/north20-800-c69cc6b3b50e.webp";
import north20_1200_c69cc6b3b50e_webp from "./pictures/north20-1200-c69cc6b3b50e.webp";
import north20_1600_c69cc6b3b50e_webp from "./pictures/north20-1600-c69cc6b3b50e.webp";
import north20_480_c69cc6b3b50e_jpeg from "./pictures/north20-480-c69cc6b3b50e.jpeg";
import north20_800_c69cc6b3b50e_jpeg from "./pictures/north20-800-c69cc6b3b50e.jpeg";
import north20_1200_c69cc6b3b50e_jpeg from "./pictures/north20-1200-c69cc6b3b50e.jpeg";
import north20_1600_c69cc6b3b50e_jpeg from "./pictures/north20-1600-c69cc6b3b50e.jpeg";
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
import north40_480_614ac95bc1b1_avif from "./pictures/north40-480-614ac95bc1b1.avif";
import north40_800_614ac95bc1b1_avif from "./pictures/north40-800-614ac95bc1b1.avif";
import north40_1200_614ac95bc1b1_avif from "./pictures/north40-1200-614ac95bc1b1.avif";
import north40_1600_614ac95bc1b1_avif from "./pictures/north40-1600-614ac95bc1b1.avif";
import north40_480_614ac95bc1b1_webp from "./pictures/north40-480-614ac95bc1b1.webp";
import north40_800_614ac95bc1b1_webp from "./pictures/north40-800-614ac95bc1b1.webp";
import north40_1200_614ac95bc1b1_webp from "./pictures/north40-1200-614ac95bc1b1.webp";
import north40_1600_614ac95bc1b1_webp from "./pictures/north40-1600-614ac95bc1b1.webp";
import north40_480_614ac95bc1b1_jpeg from "./pictures/north40-480-614ac95bc1b1.jpeg";
import north40_800_614ac95bc1b1_jpeg from "./pictures/north40-800-614ac95bc1b1.jpeg";
import north40_1200_614ac95bc1b1_jpeg from "./pictures/north40-1200-614ac95bc1b1.jpeg";
import north40_1600_614ac95bc1b1_jpeg from "./pictures/north40-1600-614ac95bc1b1.jpeg";
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
import north60_480_841b412e074f_avif from "./pictures/north60-480-841b412e074f.avif";
import north60_800_841b412e074f_avif from "./pictures/north60-800-841b412e074f.avif";
import north60_1200_841b412e074f_avif from "./pictures/north60-1200-841b412e074f.avif";
import north60_1600_841b412e074f_avif from "./pictures/north60-1600-841b412e074f.avif";
import north60_480_841b412e074f_webp from "./pictures/north60-480-841b412e074f.webp";
import north60_800_841b412e074f_webp from "./pictures/north60-800-841b412e074f.webp";
import north60_1200_841b412e074f_webp from "./pictures/north60-1200-841b412e074f.webp";
import north60_1600_841b412e074f_webp from "./pictures/north60-1600-841b412e074f.webp";
import north60_480_841b412e074f_jpeg from "./pictures/north60-480-841b412e074f.jpeg";
import north60_800_841b412e074f_jpeg from "./pictures/north60-800-841b412e074f.jpeg";
import north60_1200_841b412e074f_jpeg from "./pictures/north60-1200-841b412e074f.jpeg";
import north60_1600_841b412e074f_jpeg from "./pictures/north60-1600-841b412e074f.jpeg";

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
    avif: `${north10_480_f0cbc1d291ce_avif} 480w, ${north10_800_f0cbc1d291ce_avif} 800w, ${north10_1200_f0cbc1d291ce_avif} 1200w, ${north10_1600_f0cbc1d291ce_avif} 1600w`,
    webp: `${north10_480_f0cbc1d291ce_webp} 480w, ${north10_800_f0cbc1d291ce_webp} 800w, ${north10_1200_f0cbc1d291ce_webp} 1200w, ${north10_1600_f0cbc1d291ce_webp} 1600w`,
    jpeg: `${north10_480_f0cbc1d291ce_jpeg} 480w, ${north10_800_f0cbc1d291ce_jpeg} 800w, ${north10_1200_f0cbc1d291ce_jpeg} 1200w, ${north10_1600_f0cbc1d291ce_jpeg} 1600w`,
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
    avif: `${north20_480_c69cc6b3b50e_avif} 480w, ${north20_800_c69cc6b3b50e_avif} 800w, ${north20_1200_c69cc6b3b50e_avif} 1200w, ${north20_1600_c69cc6b3b50e_avif} 1600w`,
    webp: `${north20_480_c69cc6b3b50e_webp} 480w, ${north20_800_c69cc6b3b50e_webp} 800w, ${north20_1200_c69cc6b3b50e_webp} 1200w, ${north20_1600_c69cc6b3b50e_webp} 1600w`,
    jpeg: `${north20_480_c69cc6b3b50e_jpeg} 480w, ${north20_800_c69cc6b3b50e_jpeg} 800w, ${north20_1200_c69cc6b3b50e_jpeg} 1200w, ${north20_1600_c69cc6b3b50e_jpeg} 1600w`,
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
    avif: `${north40_480_614ac95bc1b1_avif} 480w, ${north40_800_614ac95bc1b1_avif} 800w, ${north40_1200_614ac95bc1b1_avif} 1200w, ${north40_1600_614ac95bc1b1_avif} 1600w`,
    webp: `${north40_480_614ac95bc1b1_webp} 480w, ${north40_800_614ac95bc1b1_webp} 800w, ${north40_1200_614ac95bc1b1_webp} 1200w, ${north40_1600_614ac95bc1b1_webp} 1600w`,
    jpeg: `${north40_480_614ac95bc1b1_jpeg} 480w, ${north40_800_614ac95bc1b1_jpeg} 800w, ${north40_1200_614ac95bc1b1_jpeg} 1200w, ${north40_1600_614ac95bc1b1_jpeg} 1600w`,
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
    avif: `${north60_480_841b412e074f_avif} 480w, ${north60_800_841b412e074f_avif} 800w, ${north60_1200_841b412e074f_avif} 1200w, ${north60_1600_841b412e074f_avif} 1600w`,
    webp: `${north60_480_841b412e074f_webp} 480w, ${north60_800_841b412e074f_webp} 800w, ${north60_1200_841b412e074f_webp} 1200w, ${north60_1600_841b412e074f_webp} 1600w`,
    jpeg: `${north60_480_841b412e074f_jpeg} 480w, ${north60_800_841b412e074f_jpeg} 800w, ${north60_1200_841b412e074f_jpeg} 1200w, ${north60_1600_841b412e074f_jpeg} 1600w`,
  },
};
