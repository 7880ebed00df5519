import { Link } from "react-router-dom";
import type { FloorPlanId } from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import type { Messages } from "#site/i18n/messages.ts";
import { href } from "#site/routes.ts";
import { pictures as encoded } from "../../../art/dist/pictures.ts";
import { LargePicture } from "./large-picture.tsx";

/** The pictures below the first screen. */
export const pictures = encoded;

interface ImpressionProps {
  of: Exclude<keyof Messages["pictures"], `${string}Picture`>;
  className: string;
  sizes: string;
  /** The home whose room it shows. */
  plan?: FloorPlanId;
}

/** A picture with a caption that labels it as an artist's impression. */
export function Impression({ of, className, sizes, plan }: ImpressionProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const caption = t(`pictures.${of}`);
  const alt = t(`pictures.${of}Picture`);
  return (
    <figure className={className}>
      <LargePicture of={pictures[of]} alt={alt} caption={caption} sizes={sizes} plan={plan} />
      <figcaption>
        {caption}{" "}
        {plan && (
          <Link
            to={href("floorPlans", language, { plan })}
            aria-label={t("seePlanOf", { name: plan })}
          >
            {t("seePlan")}
          </Link>
        )}{" "}
        <span className="impression">{t("impression")}</span>
      </figcaption>
    </figure>
  );
}
