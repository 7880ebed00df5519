import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from "react";
import { isPlainClick } from "#ui/link-events.ts";
import { widest } from "./first-pictures.ts";
import type { Gallery } from "./gallery.tsx";
import "./large-picture.css";
import { Picture } from "./picture.tsx";

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** The heading of the viewer. */
  caption: string;
}

/** A picture that opens in the viewer. Without JavaScript, its link leads to the largest encoding. */
export function LargePicture({ caption, ...picture }: LargePictureProps) {
  const [large, setLarge] = useState<{ In: typeof Gallery; opener: HTMLAnchorElement } | null>(
    null,
  );
  const { of } = picture;

  function enlarge(event: MouseEvent<HTMLAnchorElement>): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      const opener = event.currentTarget;
      // Safari does not focus a clicked link, but the dialog returns the focus to the focused element.
      opener.focus();
      // The first opened picture loads the script of the viewer.
      import("./gallery.tsx").then(
        ({ Gallery }) => setLarge({ In: Gallery, opener }),
        () => window.location.assign(widest(of)),
      );
    }
  }

  /** In a swiped row, the browser scrolls only the edge of a picture into view when Tab focuses it. */
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
