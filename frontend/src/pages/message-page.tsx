import type { ReactNode } from "react";
import { firstPictures } from "#art/first-pictures.ts";
import { Picture } from "#art/picture.tsx";
import "./message-page.css";

/** A page that has one thing to say, below a strip of the hero. */
export function MessagePage({ children }: { children: ReactNode }) {
  return (
    <>
      <div className="message-strip cover">
        <Picture of={firstPictures.hero} alt="" sizes="100vw" />
      </div>
      <section className="message stack page-width">{children}</section>
    </>
  );
}
