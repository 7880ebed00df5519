import { languageOf } from "#i18n/language.ts";
import { deskTexts } from "./texts.ts";

// Vite's development server has one document for both languages.
const asked = new URLSearchParams(window.location.search).get("lang");

/** The page is loaded anew to change its language. */
export const language = languageOf(asked ?? document.documentElement.lang);

export const texts = deskTexts[language];
