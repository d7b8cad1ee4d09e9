package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the page lists exactly the meters of a worker with their types, and its events. */
class MetricsDocumentTest {

  private static final Path PAGE = Path.of("../docs/metrics.md");

  private static final Pattern METER =
      Pattern.compile(
          "^\\| `(skipjack\\.(?:(?:jobs|worker)\\.[a-z.]+|limit\\.wait))` \\| ([a-z]+) \\|",
          Pattern.MULTILINE);

  private static final Pattern EVENT = Pattern.compile("`([A-Z][A-Za-z]+)`");

  @Test
  void everyMeterIsListedWithItsType() throws IOException {
    Stream<String> listed =
        METER
            .matcher(Files.readString(PAGE))
            .results()
            .map(row -> row.group(1) + " " + row.group(2));

    assertThat(listed)
        .containsExactlyElementsOf(
            Arrays.stream(WorkerMeter.values())
                .map(meter -> meter.meterName() + " " + typeOf(meter))
                .toList());
  }

  private static String typeOf(WorkerMeter meter) {
    return meter.type().name().toLowerCase(Locale.ROOT);
  }

  @Test
  void everyEventIsListed() throws IOException {
    String page = Files.readString(PAGE);
    List<String> events =
        Arrays.stream(WorkerEvent.class.getPermittedSubclasses())
            .map(Class::getSimpleName)
            .toList();

    assertThat(EVENT.matcher(page.substring(page.indexOf("## Events"))).results())
        .extracting(name -> name.group(1))
        .filteredOn(name -> !name.equals(WorkerListener.class.getSimpleName()))
        .containsAll(events)
        .isSubsetOf(events);
  }
}
