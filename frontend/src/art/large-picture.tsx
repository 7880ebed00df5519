import {
  type ComponentProps,
  type FocusEvent,
  type MouseEvent,
  useCallback,
  useState,
} from "react";
import type { FloorPlanId } from "#content/floor-plans.ts";
import { useTranslation } from "#i18n/use-translation.tsx";
import { isPlainClick } from "#ui/link-events.ts";
import { widest } from "./first-pictures.ts";
import type { Gallery } from "./gallery.tsx";
import "./large-picture.css";
import { Picture } from "./picture.tsx";

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** The heading of the viewer. */
  caption: string;
  /** The home whose room it shows, which the viewer offers to ask about. */
  plan?: FloorPlanId | undefined;
}

/** The picture of the page that was pressed last, because the script of the viewer may take a while to load. */
let lastPressed: HTMLAnchorElement | undefined;

/** A picture that opens in the viewer. Without JavaScript, its link leads to the largest encoding. */
export function LargePicture({ caption, plan, ...picture }: LargePictureProps) {
  const { t } = useTranslation();
  const [large, setLarge] = useState<{ In: typeof Gallery; opener: HTMLAnchorElement } | null>(
    null,
  );
  const close = useCallback(() => setLarge(null), []);
  const { of } = picture;

  function enlarge(event: MouseEvent<HTMLAnchorElement>): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      const opener = event.currentTarget;
      // Safari does not focus a clicked link, but the dialog returns the focus to the focused element.
      opener.focus();
      lastPressed = opener;
      void open(opener);
    }
  }

  /** The first opened picture loads the script of the viewer. */
  async function open(opener: HTMLAnchorElement): Promise<void> {
    opener.setAttribute("aria-busy", "true");
    try {
      const { Gallery, pushGalleryEntry } = await import("./gallery.tsx");
      if (lastPressed === opener && document.querySelector("dialog[open]") === null) {
        pushGalleryEntry();
        setLarge({ In: Gallery, opener });
      }
    } catch {
      window.location.assign(widest(of));
    } finally {
      opener.removeAttribute("aria-busy");
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
        data-plan={plan}
        aria-label={t("viewer.enlarge", { caption })}
        onClick={enlarge}
        onFocus={showWhole}
      >
        <Picture {...picture} />
      </a>
      {large && <large.In opener={large.opener} onClose={close} />}
    </>
  );
}
