package dev.cassidy.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** Ratios as bars on a logarithmic scale, each with its goal as a line. Plain SVG, without outside resources. */
final class BarChart {

    private static final int LABELS = 330;
    private static final int BARS = 520;
    private static final int FIGURES = 150;
    private static final int ROW = 24;
    private static final int TOP = 64;
    private static final double LOWEST = 0.25;
    private static final double HIGHEST = 64;

    private BarChart() {}

    static String of(String title, List<Case> cases) {
        int width = LABELS + BARS + FIGURES;
        int height = TOP + cases.size() * ROW + 30;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"12\" role=\"img\">%n"
                        + "<title>%s</title>%n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                width,
                height,
                width,
                height,
                escape(title)));
        text(svg, 16, 24, "start", "font-size=\"16\" font-weight=\"bold\" fill=\"#1f2933\"", title);
        text(
                svg,
                16,
                42,
                "start",
                "fill=\"#52606d\"",
                "ratio to the rival, larger is better, logarithmic, cut at 64x; the dark mark is the goal");
        for (double tick = LOWEST; tick <= HIGHEST; tick *= 2) {
            double x = x(tick);
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>%n",
                    x,
                    TOP,
                    x,
                    height - 24,
                    tick == 1 ? "#9aa5b1" : "#e4e7eb"));
            text(
                    svg,
                    x,
                    height - 10,
                    "middle",
                    "fill=\"#52606d\"",
                    Report.ratio(tick).replaceAll("\\.?0+x$", "x"));
        }
        int row = 0;
        for (Case each : cases) {
            bar(svg, each, TOP + row++ * ROW);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void bar(StringBuilder svg, Case each, int y) {
        double end = x(each.ratio());
        String colour = each.met().map(met -> met ? "#2f8f5b" : "#c8442c").orElse("#8aa4bf");
        text(svg, LABELS - 8, y + 16, "end", "fill=\"#1f2933\"", each.name());
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                LABELS,
                y + 4,
                end - LABELS,
                ROW - 8,
                colour));
        String figure = Report.ratio(each.ratio());
        if (each.goal() != null) {
            double goal = x(each.goal());
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#1f2933\" stroke-width=\"3\"/>%n",
                    goal,
                    y + 1,
                    goal,
                    y + ROW - 1));
            figure += " (goal " + Report.ratio(each.goal()) + ")";
        }
        text(svg, LABELS + BARS + 8, y + 16, "start", "fill=\"" + colour + "\"", figure);
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String style, String content) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>%n",
                x,
                y,
                anchor,
                style,
                escape(content)));
    }

    private static String escape(String content) {
        return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static double x(double ratio) {
        double shown = Math.min(HIGHEST, Math.max(LOWEST, ratio));
        return LABELS + BARS * Math.log(shown / LOWEST) / Math.log(HIGHEST / LOWEST);
    }
}
