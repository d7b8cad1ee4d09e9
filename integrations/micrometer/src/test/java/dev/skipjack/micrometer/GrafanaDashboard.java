package dev.skipjack.micrometer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.skipjack.micrometer.MeterTable.Listed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a dashboard with one panel for each meter, in sections by the word after {@code skipjack}
 * in its name.
 */
final class GrafanaDashboard {

  private static final int COLUMNS = 3;
  private static final int WIDTH = 24 / COLUMNS;
  private static final int HEIGHT = 8;

  private static final Map<String, String> SECTIONS =
      Map.of(
          "jobs", "Jobs",
          "worker", "Workers",
          "queue", "Queues",
          "doctor", "Doctor",
          "outbox", "Outbox",
          "relay", "Relays");

  /** The tags by which the variables of the dashboard select series. */
  private static final Set<String> VARIABLES = Set.of("queue", "kind", "worker", "relay");

  private final ObjectMapper json = new ObjectMapper();
  private final MeterTable meters;
  private final ArrayNode panels = json.createArrayNode();
  private int nextId = 1;
  private int y;

  private GrafanaDashboard(MeterTable meters) {
    this.meters = meters;
  }

  static String of(MeterTable meters) throws JsonProcessingException {
    return new GrafanaDashboard(meters).text();
  }

  private String text() throws JsonProcessingException {
    meters.all().stream()
        .collect(
            Collectors.groupingBy(GrafanaDashboard::area, LinkedHashMap::new, Collectors.toList()))
        .forEach(this::section);
    ObjectNode dashboard = json.createObjectNode();
    dashboard.put("uid", "skipjack").put("title", "Skipjack");
    dashboard.putArray("tags").add("skipjack");
    dashboard.put("schemaVersion", 39).put("editable", true).put("refresh", "30s");
    dashboard.putObject("time").put("from", "now-6h").put("to", "now");
    ArrayNode variables = dashboard.putObject("templating").putArray("list");
    variables
        .addObject()
        .put("name", "datasource")
        .put("type", "datasource")
        .put("query", "prometheus");
    Listed claimed = meters.get("skipjack.jobs.claimed");
    variable(variables, claimed, "queue");
    variable(variables, claimed, "kind");
    variable(variables, meters.get("skipjack.worker.poll.age"), "worker");
    variable(variables, meters.get("skipjack.relay.published"), "relay");
    dashboard.set("panels", panels);
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    return json.writer(
                new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter))
            .writeValueAsString(dashboard)
        + "\n";
  }

  private static void variable(ArrayNode variables, Listed meter, String tag) {
    ObjectNode variable = variables.addObject();
    variable.put("name", tag).put("type", "query");
    source(variable);
    variable.put("query", "label_values(%s, %s)".formatted(meter.prometheus(), tag));
    variable.put("refresh", 2).put("includeAll", true).put("multi", true).put("allValue", ".*");
    variable.putObject("current").put("text", "All").put("value", "$__all");
  }

  private static void source(ObjectNode node) {
    node.putObject("datasource").put("type", "prometheus").put("uid", "${datasource}");
  }

  private static String area(Listed meter) {
    return meter.name().split("\\.", -1)[1];
  }

  private void section(String area, List<Listed> listed) {
    ObjectNode row = panels.addObject();
    row.put("id", nextId++).put("type", "row").put("collapsed", false);
    row.put("title", SECTIONS.getOrDefault(area, area));
    position(row, 0, 24, 1);
    y++;
    for (int i = 0; i < listed.size(); i++) {
      panel(listed.get(i), i % COLUMNS * WIDTH);
      if (i % COLUMNS == COLUMNS - 1 || i == listed.size() - 1) {
        y += HEIGHT;
      }
    }
  }

  private void position(ObjectNode panel, int x, int width, int height) {
    panel.putObject("gridPos").put("x", x).put("y", y).put("w", width).put("h", height);
  }

  private void panel(Listed meter, int x) {
    ObjectNode panel = panels.addObject();
    panel.put("id", nextId++).put("type", "timeseries");
    panel.put("title", title(meter)).put("description", meter.meaning().replace("`", ""));
    position(panel, x, WIDTH, HEIGHT);
    source(panel);
    ObjectNode defaults = panel.putObject("fieldConfig").putObject("defaults");
    defaults
        .put("unit", meter.isInSeconds() ? "s" : meter.isCounter() ? "ops" : "short")
        .put("min", 0);
    ArrayNode targets = panel.putArray("targets");
    if (meter.isTimer()) {
      target(
          targets,
          "A",
          meter,
          "mean",
          "%s / %s".formatted(rate(meter, "_sum"), rate(meter, "_count")));
      target(
          targets,
          "B",
          meter,
          "max",
          "max%s (%s_max%s)".formatted(by(meter), meter.prometheus(), where(meter)));
    } else if (meter.isCounter()) {
      target(targets, "A", meter, "", rate(meter, ""));
    } else {
      target(
          targets,
          "A",
          meter,
          "",
          "max%s (%s%s)".formatted(by(meter), meter.prometheus(), where(meter)));
    }
  }

  /** Returns {@code Jobs timed out} for {@code skipjack.jobs.timed.out}. */
  private static String title(Listed meter) {
    String words = meter.name().substring("skipjack.".length()).replace('.', ' ');
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private static String rate(Listed meter, String suffix) {
    return "sum%s (rate(%s%s%s[$__rate_interval]))"
        .formatted(by(meter), meter.prometheus(), suffix, where(meter));
  }

  private static String by(Listed meter) {
    return meter.tags().isEmpty() ? "" : " by (%s)".formatted(String.join(", ", meter.tags()));
  }

  private static String where(Listed meter) {
    return meter.tags().stream()
        .filter(VARIABLES::contains)
        .map(tag -> "%s=~\"$%s\"".formatted(tag, tag))
        .collect(Collectors.joining(", ", "{", "}"))
        .replace("{}", "");
  }

  private static void target(
      ArrayNode targets, String id, Listed meter, String what, String expression) {
    String tags =
        meter.tags().stream().map(tag -> "{{%s}}".formatted(tag)).collect(Collectors.joining(" "));
    ObjectNode target = targets.addObject();
    target.put("refId", id);
    source(target);
    target.put("expr", expression).put("legendFormat", "%s %s".formatted(tags, what).strip());
  }
}
