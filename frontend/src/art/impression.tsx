import { type ComponentProps, type MouseEvent, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { isPlainClick } from "#ui/link-events.ts";
import { Viewer } from "#ui/viewer.tsx";
import { pictures as encoded } from "../../../art/dist/pictures.ts";
import { type EncodedPicture, widest } from "./first-pictures.ts";
import "./large-picture.css";
import { Picture } from "./picture.tsx";

/** The pictures below the first screen. */
export const pictures: Record<keyof typeof encoded, EncodedPicture> = encoded;

/** The caption of each picture; its alternative text is beside it in the texts. */
const captions = {
  arrival: "overview.arrival",
  pool: "overview.pool",
  living: "rooms.living",
  bedroom: "rooms.bedroom",
  kitchen: "rooms.kitchen",
  penthouse: "rooms.penthouse",
  lobby: "rooms.lobby",
} as const;

interface ImpressionProps {
  of: keyof typeof captions;
  className: string;
  sizes: string;
}

/** A picture that says what it shows, and that it is an artist's impression. */
export function Impression({ of, className, sizes }: ImpressionProps) {
  const { t } = useTranslation();
  const caption = t(captions[of]);
  const alt = t(`${captions[of]}Picture`);
  return (
    <figure className={className}>
      <LargePicture of={pictures[of]} alt={alt} caption={caption} sizes={sizes} />
      <figcaption>
        {caption} <span className="impression">{t("impression")}</span>
      </figcaption>
    </figure>
  );
}

interface LargePictureProps extends ComponentProps<typeof Picture> {
  /** The name of the large view. */
  caption: string;
}

/** A picture that opens large; without script the link leads to its largest encoding. */
export function LargePicture({ caption, ...picture }: LargePictureProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const { of, alt } = picture;

  function enlarge(event: MouseEvent<HTMLElement>): void {
    if (isPlainClick(event)) {
      event.preventDefault();
      // Safari does not focus a link that is clicked, and the dialog returns the focus to where it was.
      event.currentTarget.focus();
      setOpen(true);
    }
  }

  return (
    <>
      <a className="large-picture" href={widest(of)} onClick={enlarge}>
        <Picture {...picture} />
      </a>
      {open &&
        // The styles for pictures of a section must not reach the viewer.
        createPortal(
          <Viewer
            name={caption}
            picture={{ src: widest(of), width: of.width, height: of.height, alt }}
            head={<h2 className="viewer-name">{caption}</h2>}
            foot={<p>{t("impression")}</p>}
            onClose={() => setOpen(false)}
          />,
          document.body,
        )}
    </>
  );
}
