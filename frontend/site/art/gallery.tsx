import { type MouseEvent, useLayoutEffect, useState } from "react";
import { createPortal, flushSync } from "react-dom";
import { useNavigate } from "react-router-dom";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { isPlainClick } from "#shared/ui/link-events.ts";
import { Viewer } from "#shared/ui/viewer.tsx";
import { anchors, href } from "#site/routes.ts";

/** Adds a history entry, so Back closes the viewer. It keeps the state of the router, which therefore stays as it is. */
export function pushGalleryEntry(): void {
  const { history } = window;
  // The page does not scroll when the viewer closes, unless it scrolls to the last picture.
  history.scrollRestoration = "manual";
  history.pushState(history.state, "");
}

/** The picture of a link. */
function pictureOf(link: HTMLAnchorElement) {
  const image = link.querySelector("img") as HTMLImageElement;
  const avif = link.querySelector<HTMLSourceElement>('source[type="image/avif"]:not([media])');
  const width = Number(image.getAttribute("width"));
  const height = Number(image.getAttribute("height"));
  return {
    src: link.href,
    // The widest encoding is the last.
    avif: avif?.srcset.split(", ").at(-1)?.split(" ")[0],
    width,
    height,
    alt: image.alt,
    // Never smaller than on the page.
    minWidth: Math.max(image.clientWidth, (image.clientHeight * width) / height),
  };
}

interface GalleryProps {
  /** The link of the first picture. */
  trigger: HTMLAnchorElement;
  onClose: () => void;
}

/** A viewer for the pictures of the page. Their links contain address, size and texts. */
export function Gallery({ trigger, onClose }: GalleryProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const navigate = useNavigate();
  const [links] = useState(() =>
    [...document.querySelectorAll<HTMLAnchorElement>("a.large-picture")].filter(
      (link) => link.getClientRects().length > 0,
    ),
  );
  const [link, setLink] = useState(trigger);
  const index = links.indexOf(link);
  const { caption = "", plan } = link.dataset;
  const form = `${plan === undefined ? "" : href("home", language, { ask: plan })}#${anchors.form}`;
  const { minWidth, ...picture } = pictureOf(link);

  // In the commit that shows the viewer: an effect after it could miss a Back that follows immediately.
  useLayoutEffect(() => {
    function closeAfterBack(): void {
      window.history.scrollRestoration = "auto";
      onClose();
      if (link !== trigger) {
        link.focus({ preventScroll: true });
        link.scrollIntoView({ block: "center", inline: "center" });
      }
    }
    window.addEventListener("popstate", closeAfterBack);
    return () => window.removeEventListener("popstate", closeAfterBack);
  }, [link, trigger, onClose]);

  /** Replaces the entry of the viewer, so Back leads to the page as it was before. */
  function register(event: MouseEvent): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      window.history.scrollRestoration = "auto";
      // A dialog that closes later returns the focus to its picture, which ends the scrolling.
      flushSync(onClose);
      if (plan === undefined) {
        window.location.replace(form);
      } else {
        navigate(form, { replace: true });
      }
    }
  }

  // The styles for pictures of a section must not reach the viewer.
  return createPortal(
    <Viewer
      className="viewer-whole on-ink"
      name={caption}
      picture={picture}
      minWidth={minWidth}
      head={
        <h2 className="viewer-name h3" aria-live="polite" tabIndex={-1}>
          {caption}
        </h2>
      }
      foot={
        <>
          <p>{t("impression")}</p>
          <a className="button button-small" href={form} onClick={register}>
            {plan === undefined ? t("bar.register") : t("askAbout", { name: plan })}
          </a>
        </>
      }
      position={{ number: index + 1, count: links.length }}
      onStep={(direction) => setLink(links.at((index + direction) % links.length) ?? trigger)}
      onClose={() => window.history.back()}
    />,
    document.body,
  );
}
