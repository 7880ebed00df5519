/** In the visited page: what `visit.mjs` notes there. */
declare var noted: import("./visit.mjs").Noted;
