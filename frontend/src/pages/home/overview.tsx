import { useTranslation } from "react-i18next";
import { Picture } from "#art/picture.tsx";
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
        <Picture
          of="arrival"
          alt={t("overview.arrivalPicture")}
          sizes="(max-width: 47.99em) 94vw, (max-width: 80em) 30vw, 406px"
        />
        <figcaption>{t("impression")}</figcaption>
      </figure>
      <figure className="overview-wide">
        <Picture
          of="pool"
          alt={t("overview.poolPicture")}
          sizes="(max-width: 47.99em) 94vw, (max-width: 120em) 56vw, 1100px"
        />
        <figcaption>{t("impression")}</figcaption>
      </figure>
    </section>
  );
}
