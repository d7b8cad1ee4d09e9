package dev.skipjack.cli;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.store.jooq.JobQueue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack enqueue}. */
@Command(
    name = "enqueue",
    description = {
      "Enqueue a job, or with --file one job for each line of a file.",
      "A line is a JSON object with the members kind and payload and, optionally, queue, priority, max_attempts, delay_seconds, at, tags, idempotency_key, ordering_key, group and headers.",
      "If the command is interrupted or a line is invalid, run it again with the same file: lines that were enqueued within the last day are skipped."
    })
final class EnqueueCommand extends ChangeAction {

  @Parameters(
      paramLabel = "KIND",
      arity = "0..1",
      index = "0",
      description = "Kind of the job. With --file, the kind of lines that name none.")
  private @Nullable String kind;

  @Parameters(paramLabel = "PAYLOAD", arity = "0..1", index = "1", description = "Payload as JSON.")
  private @Nullable String payload;

  @Option(
      names = "--file",
      paramLabel = "FILE.jsonl",
      description = "Enqueue a job for each line; '-' reads standard input.")
  private @Nullable Path file;

  @Option(
      names = "--import",
      paramLabel = "NAME",
      description =
          "Name of the import: lines of different imports are different jobs. Default: the name of the file. Choose a new name to enqueue the same file again.")
  private @Nullable String importName;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "Queue of the job. Default: default.")
  private @Nullable String queueName;

  @Option(names = "--priority", paramLabel = "N", description = "Priority, from -100 to 100.")
  private @Nullable Integer priority;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description = "Maximum number of attempts, from 1 to 1000000.")
  private @Nullable Integer maxAttempts;

  @Option(
      names = "--delay",
      paramLabel = "DURATION",
      description = "How long the job waits before it is due, for example 15m.")
  private @Nullable Duration delay;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      description = "When the job is due, such as 2026-12-01T08:00:00Z.")
  private @Nullable Instant at;

  @Option(names = "--tag", paramLabel = "TAG", description = "Tag of the job; may be repeated.")
  private List<String> tags = List.of();

  @Option(
      names = "--idempotency-key",
      paramLabel = "KEY",
      description = "Enqueue no job if this key was used for the kind within the last day.")
  private @Nullable String idempotencyKey;

  @Option(
      names = "--ordering-key",
      paramLabel = "KEY",
      description = "Jobs with the same key run one after another.")
  private @Nullable String orderingKey;

  @Option(
      names = "--group",
      paramLabel = "NAME",
      description = "Group of the job: its tenant or the resource that it uses.")
  private @Nullable String group;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Header of the job, for example tenant=acme; may be repeated.")
  private Map<String, String> headers = Map.of();

  EnqueueCommand() {}

  @Override
  void check() {
    if (file == null && (kind == null || payload == null)) {
      throw CommandFailure.input("Nothing to enqueue. Give KIND and PAYLOAD, or --file.");
    }
    if (file != null && (payload != null || hasOptions())) {
      throw CommandFailure.input(
          "With --file, only KIND and --import apply to all lines. Set everything else in each line.");
    }
    if (file == null && importName != null) {
      throw CommandFailure.input("--import needs --file.");
    }
    if (at != null && delay != null) {
      throw CommandFailure.input("--at and --delay both set the due time. Use one of them.");
    }
    if (file != null && !isStandardInput(file) && !Files.isReadable(file)) {
      throw CommandFailure.input("%s: no such file, or not readable.".formatted(file));
    }
    if (file != null && Files.isDirectory(file)) {
      throw CommandFailure.input("%s: is a folder. Name a file.".formatted(file));
    }
  }

  private boolean hasOptions() {
    return queueName != null
        || priority != null
        || maxAttempts != null
        || delay != null
        || at != null
        || !tags.isEmpty()
        || idempotencyKey != null
        || orderingKey != null
        || group != null
        || !headers.isEmpty();
  }

  private static boolean isStandardInput(Path file) {
    return file.toString().equals("-");
  }

  @Override
  int run(JobQueue queue, Output output) throws IOException {
    return file == null ? enqueue(queue, output) : enqueueFile(queue, file, output);
  }

  private int enqueue(JobQueue queue, Output output) {
    JobType<String> type = JobType.of(Objects.requireNonNull(kind), String.class);
    String json = Objects.requireNonNull(payload);
    if (idempotencyKey == null) {
      report(queue.enqueue(type, json, this::options), true, queue, output);
    } else {
      EnqueueResult result = queue.enqueueOnce(type, json, this::options);
      report(result.jobId(), result.fold(created -> true, existing -> false), queue, output);
    }
    return ExitCodes.DONE;
  }

  private void report(JobId id, boolean created, JobQueue queue, Output output) {
    if (created) {
      actor()
          .recordIfAllowed(
              queue, "enqueue", queueName == null ? "default" : queueName, id.toString());
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("id", id);
    members.put("enqueued", created);
    output.done(
        created
            ? "Enqueued job %s.".formatted(id)
            : "Enqueued nothing: job %s has used the idempotency key.".formatted(id),
        members);
  }

  private EnqueueOptions options(EnqueueOptions none) {
    EnqueueOptions options = none;
    if (queueName != null) {
      options = options.onQueue(queueName);
    }
    if (priority != null) {
      options = options.priority(priority);
    }
    if (maxAttempts != null) {
      options = options.maxAttempts(maxAttempts);
    }
    if (delay != null) {
      options = options.delay(delay);
    }
    if (at != null) {
      options = options.at(at);
    }
    if (!tags.isEmpty()) {
      options = options.tags(tags);
    }
    if (idempotencyKey != null) {
      options = options.idempotencyKey(idempotencyKey);
    }
    if (orderingKey != null) {
      options = options.orderingKey(orderingKey);
    }
    if (group != null) {
      options = options.group(group);
    }
    return options.headers(headers);
  }

  private int enqueueFile(JobQueue queue, Path source, Output output) throws IOException {
    String name = importName == null ? String.valueOf(source.getFileName()) : importName;
    JobImport lines = new JobImport(queue, name);
    int number = 0;
    try (BufferedReader reader = open(source)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        if (!line.isBlank()) {
          lines.add(number, line, kind);
          output.progress(() -> Cell.jobs(lines.enqueued()) + " enqueued");
        }
      }
      lines.flush();
    } catch (JobImport.InvalidLine invalid) {
      throw CommandFailure.input(
          "%s, line %d: %s %s enqueued. Correct the line without moving others, and run the command again."
              .formatted(
                  source, invalid.number(), invalid.getMessage(), jobsWere(lines.enqueued())));
    } catch (MalformedInputException notUtf8) {
      throw CommandFailure.input(
          "%s, after line %d: the text is not UTF-8. %s enqueued."
              .formatted(source, number, jobsWere(lines.enqueued())));
    } finally {
      output.endProgress();
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    if (lines.enqueued() > 0) {
      actor().recordIfAllowed(queue, "enqueue", null, Cell.jobs(lines.enqueued()) + " of " + name);
    }
    members.put("enqueued", lines.enqueued());
    members.put("skipped", lines.skipped());
    output.done(
        "Enqueued %s; skipped %s that had been enqueued before."
            .formatted(Cell.jobs(lines.enqueued()), Cell.count(lines.skipped(), "line", "lines")),
        members);
    return ExitCodes.DONE;
  }

  private static String jobsWere(long number) {
    return Cell.count(number, "job was", "jobs were");
  }

  private static BufferedReader open(Path source) throws IOException {
    InputStream stream = isStandardInput(source) ? System.in : Files.newInputStream(source);
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8.newDecoder()));
  }
}
