import { useTranslation } from "react-i18next";
import { pictures as encoded } from "../../../art/dist/pictures.ts";
import type { EncodedPicture } from "./first-pictures.ts";
import { LargePicture } from "./large-picture.tsx";

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
