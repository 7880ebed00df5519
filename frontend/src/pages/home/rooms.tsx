import { useTranslation } from "react-i18next";
import { Impression } from "#art/impression.tsx";
import { pictures } from "#art/pictures.ts";
import "./rooms.css";

/** Rooms of the floor plans: an evening from edge to edge, and two mornings. */
export function Rooms() {
  const { t } = useTranslation();
  return (
    <section className="rooms" aria-label={t("rooms.heading")}>
      <div className="swipe">
        <Impression
          className="rooms-penthouse"
          of={pictures.penthouse}
          alt={t("rooms.penthousePicture")}
          caption={t("rooms.penthouse")}
          sizes="(max-width: 47.99em) 16rem, 100vw"
        />
        <Impression
          className="rooms-kitchen"
          of={pictures.kitchen}
          alt={t("rooms.kitchenPicture")}
          caption={t("rooms.kitchen")}
          sizes="(max-width: 47.99em) 16rem, 58vw"
        />
        <Impression
          className="rooms-bedroom"
          of={pictures.bedroom}
          alt={t("rooms.bedroomPicture")}
          caption={t("rooms.bedroom")}
          sizes="(max-width: 47.99em) 16rem, 46vw"
        />
      </div>
    </section>
  );
}
