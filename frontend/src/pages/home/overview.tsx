import { useTranslation } from "react-i18next";
import { LargePicture } from "#art/large-picture.tsx";
import { pictures } from "#art/pictures.ts";
import { anchors } from "#routes.ts";
import { Unbroken } from "#ui/unbroken.tsx";
import "./overview.css";

export function Overview() {
  const { t } = useTranslation();
  return (
    <section id={anchors.overview} className="overview page-grid">
      <h2>{t("overview.heading")}</h2>
      <div className="overview-text">
        <p className="lead">
          <Unbroken text={t("overview.lead")} />
        </p>
        <p>
          <Unbroken text={t("overview.third")} />
        </p>
        <p>
          <Unbroken text={t("overview.range")} />
        </p>
      </div>
      <figure className="overview-tall">
        <LargePicture
          of={pictures.arrival}
          alt={t("overview.arrivalPicture")}
          caption={t("overview.arrival")}
          sizes="(max-width: 47.99em) 94vw, (max-width: 80em) 30vw, 406px"
        />
        <figcaption>{t("impression")}</figcaption>
      </figure>
      <figure className="overview-wide">
        <LargePicture
          of={pictures.pool}
          alt={t("overview.poolPicture")}
          caption={t("overview.pool")}
          sizes="(max-width: 47.99em) 94vw, (max-width: 120em) 56vw, 1100px"
        />
        <figcaption>{t("impression")}</figcaption>
      </figure>
    </section>
  );
}
