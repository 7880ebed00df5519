import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from "react";
import { isPlainClick } from "#ui/link-events.ts";
import { widest } from "./first-pictures.ts";
import type { Gallery } from "./gallery.tsx";
import "./large-picture.css";
import { Picture } from "./picture.tsx";

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** The name of the large view. */
  caption: string;
}

/** A picture that opens large; without script the link leads to its largest encoding. */
export function LargePicture({ caption, ...picture }: LargePictureProps) {
  const [large, setLarge] = useState<{ In: typeof Gallery; opener: HTMLAnchorElement } | null>(
    null,
  );
  const { of } = picture;

  function enlarge(event: MouseEvent<HTMLAnchorElement>): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      const opener = event.currentTarget;
      // Safari does not focus a link that is clicked, and the dialog returns the focus to where it was.
      opener.focus();
      // Its script is loaded by the first picture that is opened.
      import("./gallery.tsx").then(
        ({ Gallery }) => setLarge({ In: Gallery, opener }),
        () => window.location.assign(widest(of)),
      );
    }
  }

  /** Beside others that are swiped, the browser shows only the edge of a picture that Tab reaches. */
  function showWhole({ currentTarget }: FocusEvent): void {
    if (currentTarget.matches(".swipe :focus-visible")) {
      currentTarget.scrollIntoView({ block: "nearest", inline: "center" });
    }
  }

  return (
    <>
      <a
        className="large-picture"
        href={widest(of)}
        data-caption={caption}
        onClick={enlarge}
        onFocus={showWhole}
      >
        <Picture {...picture} />
      </a>
      {large && <large.In opener={large.opener} onClose={() => setLarge(null)} />}
    </>
  );
}
