package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.store.jooq.JobQueue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code skipjack why}. */
@Command(
    name = "why",
    description = "Explain why a job is not running, or what it is doing, and how to change that.")
final class WhyCommand extends QueueAction {

  private static final Fields<Map.Entry<String, String>> EVIDENCE =
      Fields.<Map.Entry<String, String>>none()
          .and("fact", Map.Entry::getKey)
          .and("value", Map.Entry::getValue);

  @Parameters(paramLabel = "JOB", description = "Id of the job.")
  private JobId id;

  @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
  WhyCommand() {
    super(Access.READ);
  }

  @Override
  int run(JobQueue queue, Output output) {
    JobExplanation why = queue.reader().why(id).orElseThrow(() -> JobsCommand.unknown(id));
    Fix fix = why.fix();
    if (output.isJson()) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put("id", why.job());
      document.put("reason", why.reason());
      document.put("sentence", why.sentence());
      document.put("evidence", why.evidence());
      document.put("fix", members(fix));
      output.document(document);
      return ExitCodes.DONE;
    }
    output.line(Cell.safe(why.sentence()));
    if (!why.evidence().isEmpty()) {
      output.section("Evidence", EVIDENCE, List.copyOf(why.evidence().entrySet()));
    }
    if (fix != null) {
      output.line("");
      output.line("To change this: " + Cell.safe(fix.command()));
    }
    return ExitCodes.DONE;
  }

  static @Nullable Map<String, @Nullable Object> members(@Nullable Fix fix) {
    if (fix == null) {
      return null;
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("command", fix.command());
    members.put("call", fix.call());
    return members;
  }
}
