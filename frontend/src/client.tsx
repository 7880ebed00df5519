import { hydrateRoot } from "react-dom/client";
import { BrowserRouter } from "react-router-dom";
import { browserSubmitter } from "#features/registration/browser-submitter.ts";
import { browserRandomBytes, uuid } from "#features/registration/identifiers.ts";
import { browserSession } from "#features/session/browser-session.ts";
import { rememberLinkedLanguage } from "#i18n/choose-language.ts";
import { createI18n } from "#i18n/create-i18n.ts";
import { languageOf } from "#i18n/language.ts";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("the document has no #root: it was not made by the prerender");
}

const language = languageOf(document.documentElement.lang);
const session = browserSession();

hydrateRoot(
  root,
  <BrowserRouter>
    <App
      i18n={createI18n(language, (key) => console.error("missing text", key))}
      registration={{
        submit: browserSubmitter(session),
        newIdempotencyKey: () => uuid(browserRandomBytes),
      }}
    />
  </BrowserRouter>,
);

rememberLinkedLanguage(language);
void session.keepFresh();
