package dev.skipjack.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.micrometer.MeterTable.Listed;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerMeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the files in {@code docs/monitoring} agree with the meters. {@code -Dgolden.write}
 * rewrites them.
 */
@QueueTest(truncate = false)
class MonitoringFilesTest {

  private static final Path FOLDER = Path.of("../../docs/monitoring");
  private static final Path DASHBOARD = FOLDER.resolve("grafana-dashboard.json");
  private static final Path ALERTS = FOLDER.resolve("prometheus-alerts.yaml");

  private static final Pattern SERIES = Pattern.compile("\\bskipjack_[a-z_]+");
  private static final String ALERT_ON_IT = "Alert on it.";

  private MeterTable meters;

  @BeforeEach
  void readTheMeters(QueueDatabase database) throws IOException {
    meters = new MeterTable(database);
  }

  @Test
  void theFilesAreGeneratedFromTheMeters() throws IOException {
    compare(DASHBOARD, GrafanaDashboard.of(meters));
    compare(ALERTS, AlertRules.of(meters));
  }

  private static void compare(Path file, String text) throws IOException {
    if (System.getProperty("golden.write") != null) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    }
    assertThat(Files.readString(file)).isEqualTo(text);
  }

  @Test
  void thePageListsEveryMeterOfAWorker() {
    assertThat(meters.all())
        .extracting(Listed::name)
        .containsAll(Arrays.stream(WorkerMeter.values()).map(WorkerMeter::meterName).toList());
    assertThatThrownBy(() -> meters.get("skipjack.jobs.lots"))
        .hasMessageContaining("skipjack.jobs.lots");
  }

  @Test
  void everyNameInTheFilesIsASeriesOfAMeter() throws IOException {
    Set<String> series = meters.all().stream().flatMap(Listed::series).collect(Collectors.toSet());

    assertThat(names(ALERTS)).isNotEmpty().isSubsetOf(series);
    assertThat(names(DASHBOARD)).containsExactlyInAnyOrderElementsOf(series);
  }

  private static Set<String> names(Path file) throws IOException {
    return SERIES
        .matcher(Files.readString(file))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Test
  void theSeriesAreThoseThatPrometheusGets() {
    assertThat(meters.all().stream().flatMap(Listed::series))
        .containsExactlyInAnyOrderElementsOf(meters.published());
  }

  @Test
  void everyMeterThatThePageAsksToAlertOnHasARule() throws IOException {
    assertThat(names(ALERTS))
        .containsAll(
            meters.all().stream()
                .filter(meter -> meter.meaning().contains(ALERT_ON_IT))
                .map(Listed::prometheus)
                .toList());
  }

  @Test
  void panelsDoNotOverlap() throws IOException {
    Set<String> cells = new LinkedHashSet<>();
    for (JsonNode panel : new ObjectMapper().readTree(DASHBOARD.toFile()).path("panels")) {
      JsonNode at = panel.path("gridPos");
      for (int x = at.path("x").asInt(); x < at.path("x").asInt() + at.path("w").asInt(); x++) {
        for (int y = at.path("y").asInt(); y < at.path("y").asInt() + at.path("h").asInt(); y++) {
          assertThat(cells.add(x + " " + y)).as(panel.path("title").asText()).isTrue();
          assertThat(x).isLessThan(24);
        }
      }
    }
  }
}
