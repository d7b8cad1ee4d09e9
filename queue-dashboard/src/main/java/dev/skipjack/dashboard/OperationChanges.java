package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Starts, stops and continues changes of many jobs. */
final class OperationChanges {

  /** Separates the parts of a target. Only the last one, the filter, may contain it. */
  private static final String SEPARATOR = " ";

  private static final int PARTS = 6;

  /** How long a preview can be confirmed. Later, other jobs may match. */
  private static final Duration VALID = Duration.ofMinutes(10);

  private OperationChanges() {}

  /**
   * Returns what the token of the form covers: everything that decides which jobs are changed, and
   * when they were counted.
   */
  static String target(
      OperationAction action, String filter, OperationPreview preview, Instant countedAt) {
    return String.join(
        SEPARATOR,
        action.literal(),
        Long.toString(preview.newestId()),
        Long.toString(preview.jobs()),
        Boolean.toString(preview.atLeast()),
        Long.toString(countedAt.getEpochSecond()),
        filter);
  }

  static Role needed(OperationAction action) {
    return switch (action) {
      case REDRIVE, RUN_NOW, CANCEL -> Role.OPERATOR;
      case PRUNE, EDIT -> Role.ADMIN;
    };
  }

  static void require(OperationAction action, Visit visit) {
    if (!visit.may(needed(action))) {
      throw Refusal.forbidden(
          "This needs the role %s.".formatted(FilterText.lower(needed(action))));
    }
  }

  static Link start(Visit visit) {
    List<String> parts = List.of(Session.target(visit.request()).split(SEPARATOR, PARTS));
    if (parts.size() != PARTS) {
      throw Refusal.badInput("The form is incomplete. Begin with the preview again.");
    }
    OperationAction action = PreviewScreen.action(parts.get(0));
    require(action, visit);
    Instant countedAt = Instant.ofEpochSecond(Long.parseLong(parts.get(4)));
    if (visit.now().isAfter(countedAt.plus(VALID))) {
      throw Refusal.badInput(
          "The jobs were counted more than %d minutes ago. Preview again."
              .formatted(VALID.toMinutes()));
    }
    long jobs = Long.parseLong(parts.get(2));
    String typed = visit.request().field("count").orElse("").replaceAll("[ ,._]", "");
    if (PreviewScreen.needsCount(action, jobs) && !typed.equals(Long.toString(jobs))) {
      throw Refusal.badInput(
          "To confirm, type the number of jobs: %d. Go back and try again.".formatted(jobs));
    }
    JobQuery filter = action.restrict(Filters.ofChange(parts.get(5), visit));
    JobOperation operation =
        visit
            .services()
            .operations()
            .start(
                new OperationPreview(
                    action,
                    filter,
                    null,
                    List.of(),
                    jobs,
                    Boolean.parseBoolean(parts.get(3)),
                    List.of(),
                    Long.parseLong(parts.get(1)),
                    null),
                visit.access().user());
    // The row of the operation has its actor, but no reason.
    if (visit.reason() != null) {
      record("start_operation", operation.id(), visit);
    }
    visit.services().runner().run(operation.id());
    return page(operation.id(), Note.OPERATION_STARTED, visit);
  }

  private static void record(String action, long id, Visit visit) {
    JobOperation operation = visit.services().operations().find(id).orElseThrow();
    visit.record(action, operation.filter().queue(), "operation " + id);
  }

  private static Link page(long id, Note note, Visit visit) {
    return visit.link("/operations/" + id).with("note", note.code());
  }

  static Link stop(Visit visit) {
    OperationsScreen.Row operation = changeable(visit);
    boolean stopped = visit.services().operations().stop(operation.id());
    if (stopped) {
      record("stop_operation", operation.id(), visit);
    }
    return page(
        operation.id(), stopped ? Note.OPERATION_STOPPED : Note.OPERATION_NOT_RUNNING, visit);
  }

  static Link resume(Visit visit) {
    OperationsScreen.Row operation = changeable(visit);
    if (operation.state() == JobOperation.State.FINISHED) {
      return page(operation.id(), Note.OPERATION_NOT_RUNNING, visit);
    }
    record("continue_operation", operation.id(), visit);
    visit.services().runner().run(operation.id());
    return page(operation.id(), Note.OPERATION_STARTED, visit);
  }

  private static OperationsScreen.Row changeable(Visit visit) {
    OperationsScreen.Row operation = OperationScreen.required(visit);
    require(operation.action(), visit);
    return operation;
  }
}
