import { languageOf } from "#i18n/language.ts";
import { deskTexts } from "./texts.ts";

// Vite's development server has one document for both languages.
const asked = new URLSearchParams(window.location.search).get("lang");

/** A change of language reloads the page. */
export const language = languageOf(asked ?? document.documentElement.lang);

export const texts = deskTexts[language];
