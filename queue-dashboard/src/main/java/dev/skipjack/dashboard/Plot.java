package dev.skipjack.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A chart of one or more numbers over time, as SVG. The plot has one unit of width for each
 * interval, and 100 units of height; the style sheet gives it its size.
 */
final class Plot {

  private static final double HEIGHT = 100;

  /** The values of an axis of durations, in milliseconds. */
  private static final long[] ROUND_MILLIS = {
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    1_200_000,
    1_800_000,
    3_600_000,
    7_200_000,
    10_800_000,
    21_600_000,
    43_200_000,
    86_400_000
  };

  private final String id;
  private final String name;
  private final List<Instant> times;
  private final double top;
  private final String topLabel;
  private final List<Node> shapes = new ArrayList<>();
  private final List<Node> keys = new ArrayList<>();

  private Plot(String id, String name, List<Instant> times, double top, String topLabel) {
    this.id = id;
    this.name = name;
    this.times = times;
    this.top = top;
    this.topLabel = topLabel;
  }

  /** Begins a chart of numbers up to the given one. */
  static Plot ofNumbers(String id, String name, List<Instant> times, double highest) {
    double top = roundUp(highest);
    return new Plot(id, name, times, top, Amount.text((long) top));
  }

  /** Begins a chart of durations up to the given one. */
  static Plot ofDurations(String id, String name, List<Instant> times, Duration longest) {
    long top = roundUp(longest);
    return new Plot(id, name, times, top, Times.span(Duration.ofMillis(top)));
  }

  /** Returns the next number of 1, 2, 5, 10, 20, 50, ... */
  static double roundUp(double highest) {
    double power = 1;
    while (power * 10 < highest) {
      power *= 10;
    }
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= highest) {
        return factor * power;
      }
    }
    return power * 10;
  }

  private static long roundUp(Duration longest) {
    for (long round : ROUND_MILLIS) {
      if (round >= longest.toMillis()) {
        return round;
      }
    }
    return Duration.ofDays(longest.toDays() + 1).toMillis();
  }

  /**
   * Adds bars.
   *
   * @param below the heights at which the bars begin
   * @param values their lengths
   */
  Plot bars(String style, String label, double[] below, double[] values) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (values[i] > 0) {
        path.append(
            "M%s %sh.8V%sh-.8z".formatted(x(i + 0.1), y(below[i]), y(below[i] + values[i])));
      }
    }
    return add("bars " + style, label, path);
  }

  /** Adds a line, with a gap where there is no value. */
  Plot line(String style, String label, @Nullable Double[] values) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      Double value = values[i];
      if (value != null) {
        boolean continues = i > 0 && values[i - 1] != null;
        path.append(continues ? "L" : "M").append("%s %s".formatted(x(i + 0.5), y(value)));
        if (!continues && (i + 1 == values.length || values[i + 1] == null)) {
          path.append("h.5");
        }
      }
    }
    return add("line " + style, label, path);
  }

  /** Adds an area, with a gap where there is no value. */
  Plot area(String style, String label, @Nullable Double[] values) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      Double value = values[i];
      if (value != null) {
        path.append("M%s %sh1V%sh-1z".formatted(x(i), y(0), y(value)));
      }
    }
    return add("area " + style, label, path);
  }

  private Plot add(String style, String label, StringBuilder path) {
    shapes.add(Html.tag("path").style(style).set("d", path.toString()));
    keys.add(Html.span("key " + style).add(label));
    return this;
  }

  private static String x(double value) {
    return number(value);
  }

  private String y(double value) {
    return number(HEIGHT - Math.min(1, value / top) * HEIGHT);
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  /**
   * Ends the chart.
   *
   * @param value the latest value
   * @param unit what the value is
   * @param description what the chart shows, for those who do not see it
   * @param hints a text for each interval, shown on hover
   */
  Node end(String value, String unit, String description, List<String> hints, Times clock) {
    Element svg =
        Html.tag("svg")
            .set("viewBox", "0 0 %d 100".formatted(times.size()))
            .set("preserveAspectRatio", "none")
            .set("role", "img")
            .set("aria-labelledby", "%1$s-title %1$s-desc".formatted(id))
            .add(
                Html.tag("title").set("id", id + "-title").add(name),
                Html.tag("desc").set("id", id + "-desc").add(description),
                Html.tag("path")
                    .style("grid")
                    .set("d", "M0 0H%1$dM0 50H%1$d".formatted(times.size())))
            .add(shapes);
    Element columns = Html.tag("g").style("hover");
    for (int i = 0; i < hints.size(); i++) {
      columns.add(
          Html.tag("rect")
              .set("x", i)
              .set("width", 1)
              .set("height", 100)
              .add(Html.tag("title", hints.get(i))));
    }
    return Html.tag("figure")
        .style("chart")
        .add(
            Html.tag("figcaption")
                .add(
                    Html.span("chart-name").add(name),
                    Html.span("chart-value").add(value),
                    Html.span("faint").add(unit)),
            Html.div("plot").add(Html.span("axis-top").add(topLabel), svg.add(columns)),
            Html.tag("p")
                .style("axis")
                .add(clock.minute(times.get(0)), clock.minute(times.get(times.size() - 1))),
            Html.tag("p").style("legend").set("aria-hidden", "true").add(keys));
  }
}
