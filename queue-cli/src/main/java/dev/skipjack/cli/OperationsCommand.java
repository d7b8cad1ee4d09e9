package dev.skipjack.cli;

import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.store.jooq.JobQueue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack operations}. */
@Command(
    name = "operations",
    description = "List changes of many jobs, and stop or continue one.",
    subcommands = {
      OperationsCommand.ListOperations.class,
      OperationsCommand.Stop.class,
      OperationsCommand.Continue.class
    })
final class OperationsCommand extends CommandGroup {

  private static final Fields<JobOperation> OPERATION =
      Fields.<JobOperation>none()
          .and("id", JobOperation::id)
          .and("state", JobOperation::state)
          .and("action", JobOperation::action)
          .and("actor", JobOperation::actor)
          .and("filter", operation -> describe(operation.filter()))
          .andIfPresent("patch", operation -> Json.Raw.of(operation.payloadPatch()))
          .andIfPresent("died_before", JobOperation::diedBefore)
          .andApart("newest_id", JobOperation::newestId)
          .and("done", JobOperation::done)
          .and("skipped", JobOperation::skipped)
          .and("failed", JobOperation::failed)
          .andApart("last_reason", JobOperation::lastReason)
          .and("created_at", JobOperation::createdAt)
          .andApart("updated_at", JobOperation::updatedAt)
          .andApart("finished_at", JobOperation::finishedAt);

  /** Returns the filter as the options that select the same jobs. */
  private static String describe(JobQuery filter) {
    List<String> options = new ArrayList<>();
    add(options, "queue", filter.queue());
    add(options, "kind", filter.kind());
    add(options, "status", filter.status() == null ? null : filter.status().literal());
    add(options, "group", filter.group());
    add(options, "tag", filter.tag());
    add(options, "error", filter.error());
    add(options, "error-class", filter.errorClass());
    add(options, "error-group", filter.errorGroup());
    add(options, "since", filter.since());
    JobQuery.PayloadField field = filter.payload();
    add(
        options,
        "payload",
        field == null ? null : String.join(".", field.path()) + "=" + field.value());
    return String.join(" ", options);
  }

  private static void add(List<String> options, String name, @Nullable Object value) {
    if (value != null) {
      String text = Objects.toString(value);
      options.add("--" + name + " " + quoted(text));
    }
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9_.:/%+=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  /** The operation that a command stops or continues. */
  private static final class Chosen {

    @Parameters(paramLabel = "OPERATION", description = "Id of the operation.")
    private long id;

    JobOperation find(JobQueue queue) {
      return queue
          .operations()
          .find(id)
          .orElseThrow(
              () ->
                  CommandFailure.nothing(
                      "There is no operation %d. 'skipjack operations list' prints the latest."
                          .formatted(id)));
    }
  }

  /** {@code skipjack operations list}. */
  @Command(
      name = "list",
      description = {
        "List changes of many jobs with their actors and results, the newest first.",
        "A worker continues an operation whose process has ended, about 2 minutes after its last batch."
      })
  static final class ListOperations extends QueueAction {

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description = "Maximum number of operations, from 1 to 500. Default: ${DEFAULT-VALUE}.")
    private int limit;

    ListOperations() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return output.listOrNote(
          "operations", OPERATION, queue.operations().list(limit), "There are no operations.");
    }
  }

  /** {@code skipjack operations stop}. */
  @Command(
      name = "stop",
      description =
          "Stop an operation after its current batch. Jobs that it has changed remain changed.")
  static final class Stop extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    Stop() {}

    @Override
    int run(JobQueue queue, Output output) {
      if (!queue.operations().stop(chosen.id)) {
        throw CommandFailure.nothing(
            "Operation %d is not running; its state is '%s'."
                .formatted(chosen.id, chosen.find(queue).state().literal()));
      }
      BulkChange.record("stop_operation", chosen.find(queue), actor(), queue);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("operation", chosen.id);
      members.put("state", JobOperation.State.STOPPED);
      output.done("Operation %d stops after its current batch.".formatted(chosen.id), members);
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack operations continue}. */
  @Command(
      name = "continue",
      description =
          "Continue an operation that was stopped, or take over one that runs elsewhere, after its last complete batch.")
  static final class Continue extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    Continue() {}

    @Override
    int run(JobQueue queue, Output output) {
      JobOperation operation = chosen.find(queue);
      if (operation.state() == JobOperation.State.FINISHED) {
        throw CommandFailure.nothing("Operation %d has finished.".formatted(operation.id()));
      }
      BulkChange.record("continue_operation", operation, actor(), queue);
      return BulkChange.work(queue, operation, 0, output);
    }
  }
}
