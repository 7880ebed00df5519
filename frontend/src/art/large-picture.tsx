import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { isPlainClick } from "#ui/link-events.ts";
import type { Viewer } from "#ui/viewer.tsx";
import { widest } from "./first-pictures.ts";
import "./large-picture.css";
import { Picture } from "./picture.tsx";

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** The name of the large view. */
  caption: string;
}

/** A picture that opens large; without script the link leads to its largest encoding. */
export function LargePicture({ caption, ...picture }: LargePictureProps) {
  const { t } = useTranslation();
  const [Large, setLarge] = useState<typeof Viewer | null>(null);
  const { of, alt } = picture;

  function enlarge(event: MouseEvent<HTMLElement>): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      // Safari does not focus a link that is clicked, and the dialog returns the focus to where it was.
      event.currentTarget.focus();
      // Its script is loaded by the first picture that is opened.
      import("#ui/viewer.tsx").then(
        (loaded) => setLarge(() => loaded.Viewer),
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
      <a className="large-picture" href={widest(of)} onClick={enlarge} onFocus={showWhole}>
        <Picture {...picture} />
      </a>
      {Large &&
        // The styles for pictures of a section must not reach the viewer.
        createPortal(
          <Large
            name={caption}
            picture={{ src: widest(of), width: of.width, height: of.height, alt }}
            head={<h2 className="viewer-name h3">{caption}</h2>}
            foot={<p>{t("impression")}</p>}
            onClose={() => setLarge(null)}
          />,
          document.body,
        )}
    </>
  );
}
