import type { Messages } from "#i18n/messages.ts";
import { useTranslation } from "#i18n/use-translation.tsx";
import { pictures as encoded } from "../../../art/dist/pictures.ts";
import { LargePicture } from "./large-picture.tsx";

/** The pictures below the first screen. */
export const pictures = encoded;

interface ImpressionProps {
  of: Exclude<keyof Messages["pictures"], `${string}Picture`>;
  className: string;
  sizes: string;
}

/** A picture with a caption that labels it as an artist's impression. */
export function Impression({ of, className, sizes }: ImpressionProps) {
  const { t } = useTranslation();
  const caption = t(`pictures.${of}`);
  const alt = t(`pictures.${of}Picture`);
  return (
    <figure className={className}>
      <LargePicture of={pictures[of]} alt={alt} caption={caption} sizes={sizes} />
      <figcaption>
        {caption} <span className="impression">{t("impression")}</span>
      </figcaption>
    </figure>
  );
}
