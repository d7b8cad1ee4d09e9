package dev.skipjack.benchmarks;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;

/** A bar chart with a logarithmic axis, as SVG and as PNG. Needs no display. */
final class Chart {

  private static final int WIDTH = 900;
  private static final int HEIGHT = 480;
  private static final int LEFT = 90;
  private static final int RIGHT = 30;
  private static final int TOP = 80;
  private static final int BOTTOM = 50;
  private static final List<Color> COLORS =
      List.of(new Color(0x9e9e9e), new Color(0xe69f00), new Color(0x56b4e9), new Color(0x00704a));

  private final String title;
  private final List<String> groups;
  private final List<Series> series = new ArrayList<>();

  private record Series(String name, List<Double> values) {}

  private record Box(double x, double y, double width, double height, Color color) {}

  private record Text(double x, double y, String text, int size, boolean ends) {}

  /**
   * @param groups labels of the groups of bars
   */
  Chart(String title, List<String> groups) {
    this.title = title;
    this.groups = groups;
  }

  /** Adds a bar to each group. */
  void bars(String name, List<Double> values) {
    series.add(new Series(name, values));
  }

  private int decades() {
    double max =
        series.stream()
            .flatMap(one -> one.values.stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    return Math.max(1, (int) Math.ceil(Math.log10(Math.max(max, 10))));
  }

  private double height(double value) {
    double share = Math.log10(Math.max(value, 1)) / decades();
    return share * (HEIGHT - TOP - BOTTOM);
  }

  private List<Box> boxes() {
    List<Box> boxes = new ArrayList<>();
    for (int decade = 0; decade <= decades(); decade++) {
      double y = HEIGHT - BOTTOM - height(Math.pow(10, decade));
      boxes.add(new Box(LEFT, y, WIDTH - LEFT - RIGHT, 1, Color.LIGHT_GRAY));
    }
    double group = (WIDTH - LEFT - RIGHT) / (double) groups.size();
    double bar = group * 0.8 / Math.max(1, series.size());
    for (int s = 0; s < series.size(); s++) {
      Color color = COLORS.get(s % COLORS.size());
      for (int g = 0; g < series.get(s).values.size(); g++) {
        double height = height(series.get(s).values.get(g));
        double x = LEFT + group * g + group * 0.1 + bar * s;
        boxes.add(new Box(x, HEIGHT - BOTTOM - height, bar * 0.9, height, color));
      }
      boxes.add(new Box(LEFT + 180.0 * s, 42, 14, 14, color));
    }
    return boxes;
  }

  private List<Text> texts() {
    List<Text> texts = new ArrayList<>();
    texts.add(new Text(LEFT, 26, title, 18, false));
    for (int decade = 0; decade <= decades(); decade++) {
      double value = Math.pow(10, decade);
      texts.add(
          new Text(
              LEFT - 8.0,
              HEIGHT - BOTTOM - height(value) + 4,
              String.format(Locale.ROOT, "%,.0f", value),
              12,
              true));
    }
    double group = (WIDTH - LEFT - RIGHT) / (double) groups.size();
    for (int g = 0; g < groups.size(); g++) {
      texts.add(new Text(LEFT + group * g + group * 0.1, HEIGHT - 24.0, groups.get(g), 13, false));
    }
    for (int s = 0; s < series.size(); s++) {
      texts.add(new Text(LEFT + 180.0 * s + 20, 54, series.get(s).name, 13, false));
    }
    return texts;
  }

  /** Returns the chart as an SVG document. */
  String svg() {
    StringBuilder svg = new StringBuilder(4_096);
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">%n"
            .formatted(WIDTH, HEIGHT));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (Box box : boxes()) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%06x\"/>%n",
              box.x,
              box.y,
              box.width,
              box.height,
              box.color.getRGB() & 0xffffff));
    }
    for (Text text : texts()) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\"%s>%s</text>%n",
              text.x,
              text.y,
              text.size,
              text.ends ? " text-anchor=\"end\"" : "",
              text.text.replace("&", "&amp;").replace("<", "&lt;")));
    }
    return svg.append("</svg>\n").toString();
  }

  /** Writes the chart as a PNG image. */
  void writePng(Path file) throws IOException {
    System.setProperty("java.awt.headless", "true");
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    try {
      graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
      graphics.setColor(Color.WHITE);
      graphics.fillRect(0, 0, WIDTH, HEIGHT);
      for (Box box : boxes()) {
        graphics.setColor(box.color);
        graphics.fillRect(
            (int) Math.round(box.x),
            (int) Math.round(box.y),
            (int) Math.max(1, Math.round(box.width)),
            (int) Math.max(1, Math.round(box.height)));
      }
      graphics.setColor(Color.BLACK);
      for (Text text : texts()) {
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, text.size));
        int width = text.ends ? graphics.getFontMetrics().stringWidth(text.text) : 0;
        graphics.drawString(text.text, (float) text.x - width, (float) text.y);
      }
    } finally {
      graphics.dispose();
    }
    ImageIO.write(image, "png", file.toFile());
  }
}
