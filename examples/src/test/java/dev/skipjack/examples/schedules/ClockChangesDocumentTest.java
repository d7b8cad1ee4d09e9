package dev.skipjack.examples.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.schedule.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Tests that the table of fire times in the guide on schedules shows what the calculator returns.
 */
class ClockChangesDocumentTest {

  private static final Path GUIDE = Path.of("../docs/guides/schedules.md");
  private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");
  private static final List<LocalDate> DATES =
      List.of(LocalDate.of(2026, 3, 29), LocalDate.of(2026, 10, 25));

  /** The maximum number of fires to list. If there are more, their number is shown instead. */
  private static final int LISTED = 2;

  @Test
  void theGuideShowsWhatTheCalculatorReturns() throws IOException {
    List<String> shown =
        Files.readAllLines(GUIDE).stream()
            .dropWhile(line -> !line.startsWith("| timing | 2026-03-29 | 2026-10-25 |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();

    assertThat(shown).hasSizeGreaterThan(5);
    assertThat(shown).allSatisfy(row -> assertThat(row).isEqualTo(calculated(row)));
  }

  private static String calculated(String row) {
    String definition = row.split("\\|", -1)[1].strip();
    Timing timing =
        definition.startsWith("`every")
            ? Timing.every(Duration.ofHours(1))
            : Timing.cron(definition.replace("`", ""));
    return DATES.stream()
        .map(date -> cell(fires(timing.zone(ZONE), date)))
        .collect(Collectors.joining(" | ", "| " + definition + " | ", " |"));
  }

  private static List<Instant> fires(Timing timing, LocalDate date) {
    Instant end = date.plusDays(1).atStartOfDay(ZONE).toInstant();
    List<Instant> fires = new ArrayList<>();
    Optional<Instant> next = timing.next(date.atStartOfDay(ZONE).toInstant().minusNanos(1));
    while (next.isPresent() && next.get().isBefore(end)) {
      fires.add(next.get());
      next = timing.next(next.get());
    }
    return fires;
  }

  private static String cell(List<Instant> fires) {
    return fires.size() > LISTED
        ? fires.size() + " times"
        : fires.stream()
            .map(fire -> fire.atZone(ZONE))
            .map(fire -> "%s (%s)".formatted(fire.toLocalTime(), fire.getOffset()))
            .collect(Collectors.joining(", "));
  }
}
