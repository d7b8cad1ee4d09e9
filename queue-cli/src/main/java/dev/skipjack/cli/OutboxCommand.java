package dev.skipjack.cli;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.BlockedAggregate;
import dev.skipjack.outbox.DeadEvent;
import dev.skipjack.outbox.EventDetails;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.OutboxAdmin;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.outbox.RecordedEvent;
import dev.skipjack.outbox.RelayActivity;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack outbox}. */
@Command(
    name = "outbox",
    description =
        "Show how far relays are behind, list and redrive dead events, and unblock aggregates.",
    subcommands = {
      OutboxCommand.Status.class,
      OutboxCommand.Dead.class,
      OutboxCommand.Show.class,
      OutboxCommand.Redrive.class,
      OutboxCommand.Unblock.class
    })
final class OutboxCommand extends CommandGroup {

  private static final Fields<OutboxLag> LAG =
      Fields.<OutboxLag>none()
          .andRecord("unpublished", lag -> upTo(lag.unpublished()))
          .andJson("unpublished", OutboxLag::unpublished)
          .and("oldest_pending_seconds", OutboxLag::oldest)
          .and("blocked_aggregates", OutboxLag::blockedAggregates)
          .andRecord("dead", lag -> upTo(lag.dead()))
          .andJson("dead", OutboxLag::dead);

  private static final Fields<Aggregate> AGGREGATE =
      Fields.<Aggregate>none()
          .and("aggregate_type", Aggregate::type)
          .and("aggregate_id", Aggregate::id);

  private static final Fields<BlockedAggregate> BLOCKED =
      AGGREGATE
          .<BlockedAggregate>of(BlockedAggregate::aggregate)
          .and("blocked_at", BlockedAggregate::blockedAt)
          .and("retry_at", BlockedAggregate::retryAt);

  private static final Fields<RelayActivity> RELAY =
      Fields.<RelayActivity>none()
          .and("relay", RelayActivity::name)
          .and("leased_shards", RelayActivity::leasedShards)
          .and("last_leased_at", RelayActivity::lastLeasedAt);

  private static final Fields<DeadEvent> DEAD =
      Fields.<DeadEvent>none()
          .and("event", DeadEvent::id)
          .and(AGGREGATE.of(DeadEvent::aggregate))
          .and("event_type", DeadEvent::type)
          .and("died_at", DeadEvent::diedAt)
          .andApart("failures", DeadEvent::failures)
          .and("reason", DeadEvent::reason);

  private static final Fields<EventDetails> DETAILS =
      Fields.<EventDetails>none()
          .and("event", EventDetails::id)
          .and("status", EventDetails::status)
          .and(AGGREGATE.of(EventDetails::aggregate))
          .and("event_type", EventDetails::type)
          .and("content_type", EventDetails::contentType)
          .and("traceparent", EventDetails::traceparent)
          .and("recorded_at", EventDetails::recordedAt)
          .and("published_at", EventDetails::publishedAt)
          .and("died_at", EventDetails::diedAt)
          .and("failures", EventDetails::failures)
          .and("last_error", EventDetails::lastError);

  private static String upTo(long number) {
    return number + (number == OutboxLag.COUNTED ? " or more" : "");
  }

  private static String events(long number) {
    return Cell.count(number, "event", "events");
  }

  /** {@code skipjack outbox status}. */
  @Command(
      name = "status",
      description = {
        "Show how many events are not published, which aggregates are blocked, and which relays lease shards.",
        "A relay leases shards only while it publishes. An aggregate without a time of retry is blocked by a dead event."
      })
  static final class Status extends QueueAction {

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description =
            "Maximum number of blocked aggregates, from 1 to 10000. Default: ${DEFAULT-VALUE}.")
    private int limit;

    Status() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      OutboxAdmin admin = Outbox.on(queue).admin();
      OutboxLag lag = admin.lag();
      List<BlockedAggregate> blocked = admin.blocked(limit);
      List<RelayActivity> relays = admin.relays();
      if (output.isJson()) {
        Map<String, @Nullable Object> document = LAG.members(lag);
        document.put("blocked", blocked.stream().map(BLOCKED::members).toList());
        document.put("relays", relays.stream().map(RELAY::members).toList());
        output.document(document);
        return ExitCodes.DONE;
      }
      output.record(LAG, lag);
      if (!blocked.isEmpty()) {
        output.section("Blocked aggregates", BLOCKED, blocked);
      }
      if (!relays.isEmpty()) {
        output.section("Relays", RELAY, relays);
      }
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack outbox dead}. */
  @Command(
      name = "dead",
      description = "List dead events without their payloads, those that died first at the top.")
  static final class Dead extends QueueAction {

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "50",
        description = "Maximum number of events, from 1 to 10000. Default: ${DEFAULT-VALUE}.")
    private int limit;

    Dead() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      List<DeadEvent> dead = Outbox.on(queue).admin().dead(limit);
      int exitCode = output.listOrNote("events", DEAD, dead, "No event is dead.");
      if (dead.size() == limit) {
        output.note("There may be more dead events. Use a larger --limit to list them.");
      }
      return exitCode;
    }
  }

  /** {@code skipjack outbox show}. */
  @Command(
      name = "show",
      description =
          "Show an event. A published event is found while its partition of outbox_published is kept.")
  static final class Show extends QueueAction {

    @Parameters(paramLabel = "EVENT", description = "Id of the event.")
    private UUID id;

    @Option(
        names = "--payload",
        description =
            "Also show the headers and the payload. A payload that is neither JSON nor text is shown in Base64.")
    private boolean payload;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Show() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) throws SQLException {
      OutboxAdmin admin = Outbox.on(queue).admin();
      EventDetails event =
          admin
              .find(id)
              .orElseThrow(
                  () ->
                      CommandFailure.nothing(
                          "There is no event %s: it was never recorded, or is no longer kept."
                              .formatted(id)));
      Visible<Optional<RecordedEvent>> content =
          payload
              ? visible(() -> admin.read(id), Optional::empty)
              : new Visible<>(Optional.empty(), null);
      if (output.isJson()) {
        Map<String, @Nullable Object> document = DETAILS.members(event);
        if (payload) {
          document.put("headers", content.value().map(RecordedEvent::headers).orElse(null));
          document.put("payload", content.value().map(Show::text).orElse(null));
        }
        output.document(document);
        content.remark(output);
        return ExitCodes.DONE;
      }
      Fields<EventDetails> fields = DETAILS;
      if (payload) {
        Object headers = content.value().map(each -> Json.line(each.headers())).orElse(null);
        Object body = content.value().map(Show::text).orElse(null);
        fields =
            fields
                .andRecord("headers", any -> content.hidden() == null ? headers : content.text(""))
                .andRecord("payload", any -> content.hidden() == null ? body : content.text(""));
      }
      output.record(fields, event);
      return ExitCodes.DONE;
    }

    /** Returns JSON and other text unchanged, and bytes in Base64. */
    private static String text(RecordedEvent event) {
      String type = event.contentType();
      return type.startsWith("application/json") || type.startsWith("text/")
          ? event.text()
          : Base64.getEncoder().encodeToString(event.payload());
    }
  }

  /** {@code skipjack outbox redrive}. */
  @Command(
      name = "redrive",
      description = {
        "Make relays try dead events again: those with the given ids, those of an aggregate, or all.",
        "The events of an aggregate are published in their order. An event waits while an earlier dead one blocks it; one that was skipped may be published after later events.",
        "With --aggregate or --all, the command prints up to five of the events and asks for confirmation. --all redrives the aggregates of the 10,000 events that died first."
      })
  static final class Redrive extends ChangeAction {

    private static final int MOST = (int) OutboxLag.COUNTED;
    private static final int SAMPLE = 5;

    @Parameters(paramLabel = "EVENT", arity = "0..*", description = "Ids of the events.")
    private List<UUID> ids = List.of();

    @Option(
        names = "--aggregate",
        paramLabel = "TYPE ID",
        arity = "2",
        hideParamSyntax = true,
        description = "All dead events of this aggregate.")
    private List<String> aggregate = List.of();

    @Option(names = "--all", description = "All dead events.")
    private boolean all;

    @Option(
        names = "--dry-run",
        description = "Print how many events are dead, and up to five of them. Change nothing.")
    private boolean dryRun;

    @Mixin private Confirmation confirmation;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
    Redrive() {}

    @Override
    void check() {
      int ways = (ids.isEmpty() ? 0 : 1) + (aggregate.isEmpty() ? 0 : 1) + (all ? 1 : 0);
      if (ways != 1) {
        throw CommandFailure.input(
            "Name the events by their ids, or use one of --aggregate and --all.");
      }
      if (!ids.isEmpty() && dryRun) {
        throw CommandFailure.input("--dry-run does not apply to events that are named by ids.");
      }
      if (aggregate.size() > 2) {
        throw CommandFailure.input("--aggregate names one aggregate. Run the command for each.");
      }
      if (!aggregate.isEmpty()) {
        aggregate();
      }
    }

    private Aggregate aggregate() {
      return new Aggregate(aggregate.get(0), aggregate.get(1));
    }

    @Override
    int run(JobQueue queue, Output output) {
      OutboxAdmin admin = Outbox.on(queue).admin();
      if (!ids.isEmpty()) {
        Set<UUID> redriven = admin.redrive(ids);
        redriven.forEach(id -> actor().record(queue, "redrive_event", null, id.toString()));
        return report(
            redriven.size(),
            ids.stream().filter(id -> !redriven.contains(id)).toList(),
            false,
            output);
      }
      List<DeadEvent> dead = all ? admin.dead(MOST) : admin.dead(aggregate(), MOST);
      if (dead.isEmpty()) {
        throw CommandFailure.nothing("No dead event matches.");
      }
      boolean more = dead.size() == MOST;
      String count = dead.size() + (more ? " or more" : "");
      List<DeadEvent> sample = dead.subList(0, Math.min(SAMPLE, dead.size()));
      if (!output.isJson()) {
        output.list("events", DEAD, sample);
      }
      if (dryRun) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("events", dead.size());
        members.put("at_least", more);
        members.put("sample", sample.stream().map(DEAD::members).toList());
        output.done(
            "%s %s. Nothing was changed."
                .formatted(count, dead.size() == 1 ? "event is dead" : "events are dead"),
            members);
        return ExitCodes.DONE;
      }
      confirmation.require("Redrive %s?".formatted(deadEvents(dead.size())), output);
      List<Aggregate> aggregates = dead.stream().map(DeadEvent::aggregate).distinct().toList();
      int done = 0;
      for (Aggregate each : aggregates) {
        int redriven = admin.redrive(each);
        if (redriven > 0) {
          actor().record(queue, "redrive_aggregate", null, each.type() + " " + each.id());
        }
        done += redriven;
        String progress = "%d of %s".formatted(done, events(dead.size()));
        output.progress(() -> progress);
      }
      output.endProgress();
      return report(done, List.of(), more, output);
    }

    private static String deadEvents(int number) {
      return Cell.count(number, "dead event", "dead events");
    }

    private static int report(int done, List<UUID> refused, boolean more, Output output) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("redriven", done);
      members.put("not_dead", refused);
      members.put("more", more);
      output.done(
          "Redrove %s.%s"
              .formatted(
                  events(done),
                  refused.isEmpty()
                      ? ""
                      : " %s not dead, or %s: %s."
                          .formatted(
                              Cell.count(refused.size(), "is", "are"),
                              refused.size() == 1 ? "does not exist" : "do not exist",
                              Cell.whole(refused))),
          members);
      if (more) {
        output.note("There may be more dead events. Run the command again to redrive them.");
      }
      if (done == 0) {
        return ExitCodes.NOTHING_MATCHED;
      }
      return refused.isEmpty() ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
    }
  }

  /** {@code skipjack outbox unblock}. */
  @Command(
      name = "unblock",
      description = {
        "Let a blocked aggregate continue: its dead events are skipped, and the later ones are published without them.",
        "An event that waits for its next attempt is tried at once."
      })
  static final class Unblock extends ChangeAction {

    @Parameters(index = "0", paramLabel = "TYPE", description = "Type of the aggregate.")
    private String type;

    @Parameters(index = "1", paramLabel = "ID", description = "Id of the aggregate.")
    private String id;

    @SuppressWarnings("NullAway.Init") // picocli sets required parameters before the command runs
    Unblock() {}

    @Override
    void check() {
      aggregate();
    }

    private Aggregate aggregate() {
      return new Aggregate(type, id);
    }

    @Override
    int run(JobQueue queue, Output output) {
      Aggregate aggregate = aggregate();
      if (!Outbox.on(queue).admin().unblock(aggregate)) {
        throw CommandFailure.nothing("The aggregate '%s/%s' is not blocked.".formatted(type, id));
      }
      actor().record(queue, "unblock_aggregate", null, type + " " + id);
      Map<String, @Nullable Object> members = AGGREGATE.members(aggregate);
      members.put("unblocked", true);
      output.done("Unblocked the aggregate '%s/%s'.".formatted(type, id), members);
      return ExitCodes.DONE;
    }
  }
}
