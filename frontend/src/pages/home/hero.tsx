import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Picture } from "#art/picture.tsx";
import { project } from "#content/project.ts";
import { href } from "#routes.ts";
import { Arrow } from "#ui/arrow.tsx";
import "./hero.css";

/** The project's name on its picture; on a phone, below it. */
export function Hero() {
  const { t } = useTranslation();
  return (
    <section className="hero on-ink">
      <figure className="hero-picture">
        <Picture
          of="hero"
          alt={t("hero.picture")}
          sizes="(min-width: 100em) 1600px, (min-width: 62em) 1440px, max(100vw, 960px)"
          narrow={{ of: "heroPhone", media: "(max-width: 30em)", sizes: "max(100vw, 400px)" }}
          first
        />
        <figcaption>{t("impression")}</figcaption>
      </figure>
      <div className="hero-words page-width">
        <h1>{project.name}</h1>
        <p className="hero-lead lead">{t("hero.lead")}</p>
        <Link className="arrow-link" to={href("floorPlans")}>
          {t("hero.plans")}
          <Arrow />
        </Link>
      </div>
    </section>
  );
}
