import { textPart } from "#i18n/other-texts.ts";
import { anchors } from "#routes.ts";
import { Hero } from "./hero.tsx";
import { LatestUpdate } from "./latest-update.tsx";

const Sections = textPart(async () => (await import("./sections.tsx")).Sections, anchors.overview);
const Contact = textPart(async () => (await import("./contact.tsx")).Contact, anchors.contact);

export function HomePage() {
  return (
    <>
      <div>
        <Hero />
        <LatestUpdate />
        <Sections />
      </div>
      <Contact />
    </>
  );
}
