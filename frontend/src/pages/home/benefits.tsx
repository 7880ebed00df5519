import { useTranslation } from "react-i18next";
import { Picture } from "#art/picture.tsx";
import type { PictureName } from "#art/pictures.ts";
import { towers } from "#content/facts.ts";
import { Unbroken } from "#ui/unbroken.tsx";
import { Elevation } from "./elevation.tsx";
import "./benefits.css";

export function Benefits() {
  const { t } = useTranslation();
  return (
    <section className="benefits">
      <div className="benefits-body page-grid">
        <h2>{t("benefits.heading")}</h2>
        <div className="benefits-text">
          {(["location", "architecture"] as const).map((benefit) => (
            <div key={benefit}>
              <h3>{t(`benefits.${benefit}.heading`)}</h3>
              <p>
                <Unbroken text={t(`benefits.${benefit}.text`)} />
              </p>
            </div>
          ))}
        </div>
        <figure className="benefits-elevation">
          <Elevation storeys={towers} />
          <figcaption>
            <Unbroken text={t("benefits.elevation")} />
          </figcaption>
        </figure>
      </div>
      <div className="benefits-views">
        <View of="southView" alt={t("benefits.southPicture")} caption={t("benefits.south")} />
        <View of="northView" alt={t("benefits.northPicture")} caption={t("benefits.north")} />
      </div>
    </section>
  );
}

function View({ of, alt, caption }: { of: PictureName; alt: string; caption: string }) {
  const { t } = useTranslation();
  return (
    <figure>
      <Picture of={of} alt={alt} sizes="(max-width: 47.99em) 100vw, 50vw" />
      <figcaption>
        <span className="benefits-view">
          <Unbroken text={caption} />
        </span>{" "}
        <span>{t("impression")}</span>
      </figcaption>
    </figure>
  );
}
