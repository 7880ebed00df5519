import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Viewer } from "#ui/viewer.tsx";
import { type EncodedPicture, widest } from "./first-pictures.ts";

interface PictureViewerProps {
  of: EncodedPicture;
  alt: string;
  caption: string;
  onClose: () => void;
}

export function PictureViewer({ of, alt, caption, onClose }: PictureViewerProps) {
  const { t } = useTranslation();
  const headingId = useId();
  return (
    <Viewer
      picture={{ src: widest(of), width: of.width, height: of.height, alt }}
      headingId={headingId}
      names={{
        close: t("plans.viewer.close"),
        zoomIn: t("plans.viewer.zoomIn"),
        zoomOut: t("plans.viewer.zoomOut"),
      }}
      onClose={onClose}
      head={
        <h2 id={headingId} className="viewer-name">
          {caption}
        </h2>
      }
      foot={<p>{t("impression")}</p>}
    />
  );
}
