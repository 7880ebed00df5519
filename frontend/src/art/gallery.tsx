import { useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "#i18n/use-translation.tsx";
import { anchors } from "#routes.ts";
import { Viewer } from "#ui/viewer.tsx";

interface GalleryProps {
  /** The link of the first picture. */
  opener: HTMLAnchorElement;
  onClose: () => void;
}

/** A viewer for the pictures of the page. Their links contain address, size and texts. */
export function Gallery({ opener, onClose }: GalleryProps) {
  const { t } = useTranslation();
  const [links] = useState(() =>
    [...document.querySelectorAll<HTMLAnchorElement>("a.large-picture")].filter(
      (link) => link.getClientRects().length > 0,
    ),
  );
  const [link, setLink] = useState(opener);
  const index = links.indexOf(link);
  const { caption = "" } = link.dataset;
  const image = link.querySelector("img") as HTMLImageElement;
  const width = Number(image.getAttribute("width"));
  const height = Number(image.getAttribute("height"));

  function close(): void {
    if (link !== opener) {
      link.focus({ preventScroll: true });
      link.scrollIntoView({ block: "center", inline: "center" });
    }
    onClose();
  }

  // The styles for pictures of a section must not reach the viewer.
  return createPortal(
    <Viewer
      className="viewer-whole on-ink"
      name={caption}
      picture={{ src: link.href, width, height, alt: image.alt }}
      // Never smaller than on the page.
      least={Math.max(image.clientWidth, (image.clientHeight * width) / height)}
      head={<h2 className="viewer-name h3">{caption}</h2>}
      foot={
        <>
          <p>{t("impression")}</p>
          <a className="button button-small" href={`#${anchors.form}`} onClick={onClose}>
            {t("bar.register")}
          </a>
        </>
      }
      place={{ number: index + 1, count: links.length }}
      onTurn={(direction) => setLink(links.at((index + direction) % links.length) ?? opener)}
      onClose={close}
    />,
    document.body,
  );
}
