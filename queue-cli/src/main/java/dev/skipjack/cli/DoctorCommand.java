package dev.skipjack.cli;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.store.jooq.JobQueue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack doctor}. */
@Command(
    name = "doctor",
    description = {
      "Check the database and the queue. Print one line for each check and, if it is not green, what that means and how to fix it.",
      "Exit code 1 if a check is red, or if the schema version, leases, workers, kinds or schedules could not be checked."
    })
final class DoctorCommand extends QueueAction {

  private static final Fields<Finding> FINDING =
      Fields.<Finding>none()
          .and("check", Finding::check)
          .and("level", Finding::level)
          .andJson("sentence", Finding::sentence)
          .andJson("meaning", Finding::meaning)
          .andJson("fix", finding -> WhyCommand.members(finding.fix()));

  /**
   * If one of these checks cannot run, the queue counts as not checked. The other checks may need
   * more rights.
   */
  private static final Set<String> NEEDED =
      Set.of("schema-version", "leases", "workers", "kinds", "schedules");

  private static final int LONGEST_LEVEL = 6;

  /** The margin of explanations. With it, most commands fit into 80 columns. */
  private static final String MARGIN = " ".repeat(LONGEST_LEVEL + 2);

  @Option(names = "--all", description = "Also explain the checks that are green.")
  private boolean all;

  DoctorCommand() {
    super(Access.READ);
  }

  @Override
  int run(JobQueue queue, Output output) {
    List<Finding> findings = queue.doctor().run();
    Map<Finding.Level, Long> counts =
        findings.stream().collect(Collectors.groupingBy(Finding::level, Collectors.counting()));
    boolean healthy = isHealthy(findings);
    int exitCode = healthy ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
    if (output.isJson()) {
      output.list("checks", FINDING, findings, Map.of("healthy", healthy));
      return exitCode;
    }
    int width = findings.stream().mapToInt(finding -> finding.check().length()).max().orElse(0);
    for (Finding finding : findings) {
      output.line(
          "%s  %s  %s"
              .formatted(
                  output.cell(level(finding.level()), LONGEST_LEVEL),
                  finding.check() + " ".repeat(width - finding.check().length()),
                  Cell.safe(finding.sentence())));
      if (all || finding.level() == Finding.Level.RED || finding.level() == Finding.Level.YELLOW) {
        explain(finding, output);
      }
    }
    output.line("");
    output.line(
        "Red %d, yellow %d, green %d, not checked %d."
            .formatted(
                counts.getOrDefault(Finding.Level.RED, 0L),
                counts.getOrDefault(Finding.Level.YELLOW, 0L),
                counts.getOrDefault(Finding.Level.GREEN, 0L),
                counts.getOrDefault(Finding.Level.NOT_CHECKED, 0L)));
    return exitCode;
  }

  /** Returns whether the queue was checked and nothing is red. */
  static boolean isHealthy(List<Finding> findings) {
    return findings.stream()
        .noneMatch(
            finding ->
                finding.level() == Finding.Level.RED
                    || (finding.level() == Finding.Level.NOT_CHECKED
                        && NEEDED.contains(finding.check())));
  }

  private static String level(Finding.Level level) {
    return switch (level) {
      case RED -> "red";
      case YELLOW -> "yellow";
      case GREEN -> "green";
      case NOT_CHECKED -> "-";
    };
  }

  private static void explain(Finding finding, Output output) {
    output.line(MARGIN + Cell.safe(finding.meaning()));
    if (finding.fix() != null) {
      output.line(MARGIN + "Fix: " + Cell.safe(finding.fix().command()));
    }
  }
}
