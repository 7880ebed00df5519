import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { LargePicture } from "./large-picture.tsx";

interface ImpressionProps extends ComponentProps<typeof LargePicture> {
  className: string;
}

/** A picture that says what it shows, and that it is an artist's impression. */
export function Impression({ className, ...picture }: ImpressionProps) {
  const { t } = useTranslation();
  return (
    <figure className={className}>
      <LargePicture {...picture} />
      <figcaption>
        {picture.caption} <span className="impression">{t("impression")}</span>
      </figcaption>
    </figure>
  );
}
