import {
  type ComponentProps,
  type FocusEvent,
  type MouseEvent,
  useCallback,
  useState,
} from "react";
import type { FloorPlanId } from "#shared/content/floor-plans.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { isPlainClick } from "#shared/ui/link-events.ts";
import { widest } from "./first-pictures.ts";
import { Gallery, pushGalleryEntry } from "./gallery.tsx";
import "./large-picture.css";
import { Picture } from "./picture.tsx";

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** The heading of the viewer. */
  caption: string;
  /** The home whose room it shows, which the viewer offers to ask about. */
  plan?: FloorPlanId | undefined;
}

/** A picture that opens in the viewer. Without JavaScript, its link leads to the largest encoding. */
export function LargePicture({ caption, plan, ...picture }: LargePictureProps) {
  const { t } = useTranslation();
  /** The link, while its picture is open in the viewer. */
  const [trigger, setTrigger] = useState<HTMLAnchorElement | null>(null);
  const close = useCallback(() => setTrigger(null), []);
  const { of } = picture;

  function enlarge(event: MouseEvent<HTMLAnchorElement>): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      // Safari does not focus a clicked link, but the dialog returns the focus to the focused element.
      event.currentTarget.focus();
      pushGalleryEntry();
      setTrigger(event.currentTarget);
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
        data-replay
        href={widest(of)}
        data-caption={caption}
        data-plan={plan}
        aria-label={t("viewer.enlarge", { caption })}
        onClick={enlarge}
        onFocus={showWhole}
      >
        <Picture {...picture} />
      </a>
      {trigger && <Gallery trigger={trigger} onClose={close} />}
    </>
  );
}
