import { useTranslation } from "react-i18next";
import { Impression } from "#art/impression.tsx";
import "./rooms.css";

/** Rooms of the floor plans: an evening from edge to edge, and two mornings. */
export function Rooms() {
  const { t } = useTranslation();
  return (
    <section className="rooms" aria-label={t("rooms.heading")}>
      <div className="swipe">
        <Impression
          of="penthouse"
          className="rooms-penthouse"
          sizes="(max-width: 47.99em) 16rem, 100vw"
        />
        <Impression
          of="kitchen"
          className="rooms-kitchen"
          sizes="(max-width: 47.99em) 16rem, 58vw"
        />
        <Impression
          of="bedroom"
          className="rooms-bedroom"
          sizes="(max-width: 47.99em) 16rem, 46vw"
        />
      </div>
    </section>
  );
}
