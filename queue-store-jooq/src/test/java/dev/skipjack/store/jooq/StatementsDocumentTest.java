package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Writes docs/statements.md from the class comments of the statements, so that the page cannot
 * differ from the code. {@code -Dgolden.write} regenerates it.
 */
class StatementsDocumentTest {

  private static final Path PAGE = Path.of("../docs/statements.md");
  private static final List<Path> SOURCES =
      List.of(
          Path.of("src/main/java/dev/skipjack/store/jooq"),
          Path.of("src/main/java/dev/skipjack/store/jooq/internal/history"),
          Path.of("../queue-operations/src/main/java/dev/skipjack/operations/diagnosis"),
          Path.of("../queue-operations/src/main/java/dev/skipjack/operations/read"),
          Path.of("src/main/java/dev/skipjack/store/jooq/internal/schedule"),
          Path.of("src/main/java/dev/skipjack/store/jooq/internal/ordering"),
          Path.of("src/main/java/dev/skipjack/store/jooq/internal/steps"),
          Path.of("../queue-dedup/src/main/java/dev/skipjack/dedup"),
          Path.of("../queue-steps/src/main/java/dev/skipjack/steps"),
          Path.of("../queue-steps/src/main/java/dev/skipjack/steps/internal"),
          Path.of("../queue-outbox/src/main/java/dev/skipjack/outbox"),
          Path.of("../queue-outbox/src/main/java/dev/skipjack/outbox/internal"));
  private static final Pattern CLASS_COMMENT =
      Pattern.compile("(?s)/\\*\\*(.*?)\\*/\\s*(?:public )?final class");
  private static final Pattern INLINE_TAG =
      Pattern.compile("(?s)\\{@(?:code|link|value)\\s+#?([^}]*)}");

  /** The statements whose SQL the page shows. */
  private static final Set<String> WITH_SQL = Set.of("EnqueueStatement", "ClaimStatement");

  /** The chapters whose statements lock nothing, as the head of the page says. */
  private static final Set<String> ONLY_READING =
      Set.of("The read side", "Why a job is not running", "Doctor");

  private static final Pattern ABOUT_LOCKS =
      Pattern.compile(
          "\\b(lock(s|ed|ing)?|waits for|(never|has to|not) waits?)\\b", Pattern.CASE_INSENSITIVE);

  /** A sentence that only refers to another comment. */
  private static final Pattern REFERENCE = Pattern.compile("`\\w+Ctes` explains the .*");

  private static final Pattern BETWEEN_SENTENCES = Pattern.compile("(?<=[.]) (?=[A-Z`])");

  /** A line of at most 145 characters. */
  private static final Pattern WRAP = Pattern.compile("(.{1,145}) ");

  /** The chapters, in the order in which a job encounters their statements. */
  private static final List<Chapter> CHAPTERS =
      List.of(
          new Chapter(
              "Enqueue and claim",
              "EnqueueStatement",
              "DirectStartStatement",
              "ConfirmStartStatement",
              "EnqueueOnceStatement",
              "DueLanesStatement",
              "ClaimStatement"),
          new Chapter(
              "Fair queues and limits",
              "DueGroupsStatement",
              "LockLimitStatement",
              "LockGroupsStatement",
              "ClaimGroupsStatement",
              "ThrottleStatement"),
          new Chapter(
              "Unique jobs", "UniqueInsert", "ResolveConflictStatement", "FindHolderStatement"),
          new Chapter(
              "The end of an attempt",
              "AttemptCtes",
              "HeartbeatStatement",
              "ProgressStatement",
              "CancelRequestedStatement",
              "AttemptStatusStatement",
              "HeldStatement",
              "CompleteStatement",
              "EndWithDataStatement",
              "FailStatement",
              "RequeueStatement",
              "RescueStatement"),
          new Chapter(
              "Ordering keys",
              "LockStripesStatement",
              "Promotion",
              "HandOverStatement",
              "PromoteStatement",
              "FindHeadlessKeysStatement",
              "FindDeadHeadsStatement",
              "ReleaseStatement",
              "SkipHeadStatement",
              "ParkStatement"),
          new Chapter(
              "Durable steps",
              "StepCtes",
              "MemoStatement",
              "ReadMemosStatement",
              "WaitStatement",
              "TakeStatement",
              "SignalStatement",
              "WakeWaitingStatement",
              "FindEndedStepsStatement",
              "EndStepsStatement",
              "ExpireSignalsStatement"),
          new Chapter(
              "Admin commands",
              "CommandCtes",
              "CancelStatement",
              "RedriveStatement",
              "EditStatement",
              "PatchPayloadStatement",
              "PruneStatement",
              "WalkDeadJobsStatement"),
          new Chapter(
              "Maintenance",
              "PruneKeysStatement",
              "PruneRateUsesStatement",
              "PresentPartitionsStatement",
              "CreatePartitionStatement",
              "FindPartitionsStatement",
              "FindRunningInPartitionStatement",
              "ReadCutoffsStatement",
              "PruneArchiveStatement"),
          new Chapter("Workers", "AnnounceStatement", "RemoveWorkersStatement"),
          new Chapter(
              "Schedules",
              "DueSchedulesStatement",
              "FireSchedulesStatement",
              "PostponeSchedulesStatement",
              "NextFireStatement",
              "OutdatedSchedulesStatement",
              "UndeclaredSchedulesStatement",
              "LockSchedulesStatement",
              "WriteSchedulesStatement",
              "ListSchedulesStatement"),
          new Chapter(
              "The outbox",
              "RecordStatement",
              "LeaseShardsStatement",
              "FetchStatement",
              "LeaseWrites",
              "EventWrites",
              "ReadOutboxUseStatement",
              "OutboxFactsStatement"),
          new Chapter(
              "The read side",
              "FindJobStatement",
              "ExecutionsStatement",
              "ListFewStatement",
              "ListDueStatement",
              "ListDeadStatement",
              "ListArchivedStatement",
              "CountsStatement",
              "CountSampleStatement",
              "OldestPendingStatement",
              "GroupDeadJobsStatement",
              "BlockedKeysStatement",
              "LongestRunningStatement"),
          new Chapter(
              "Why a job is not running",
              "JobFactsStatement",
              "QueueFactsStatement",
              "WorkerFactsStatement",
              "LeaseHolderStatement",
              "OrderingFactsStatement",
              "KeyHolderStatement",
              "WaitFactsStatement"),
          new Chapter(
              "Doctor",
              "SchemaVersionStatement",
              "ServerFactsStatement",
              "HorizonStatement",
              "TableFactsStatement",
              "PartitionFactsStatement",
              "LeaseFactsStatement",
              "LivingWorkersStatement",
              "DueKindsStatement",
              "WaitingKindsStatement",
              "DeadJobFactsStatement",
              "ScheduleFactsStatement",
              "BlockedKeyFactsStatement"));

  private static final String HEAD =
      """
      # The statements

      This page says what each statement on the queue's tables does and what it locks, and shows the shortened SQL of enqueue and claim.
      Each statement is a class, whose comment has its SQL. `src/test/resources/sql` of its module has the full text, which a test compares
      with what the class renders. `StatementsDocumentTest` generates this page from those comments.

      All statements run as constant text, with index scans and generic plans only ([ADR 0007](adr/0007-constant-text-behind-set-local.md)).
      Each of the queue's own transactions begins, in the same round trip, with `SET TRANSACTION ISOLATION LEVEL READ COMMITTED`, and sets
      `enable_seqscan = off` and `plan_cache_mode = force_generic_plan` until it ends. In a caller's transaction, these settings are changed for
      the statement and then restored. The enqueue of a single job needs none of this and is sent alone. `search_path` is restored at the end of
      each round trip ([ADR 0017](adr/0017-statements-search-pg-catalog-only.md)).

      Writes of many jobs lock them in id order, or skip locked jobs. None of them waits for a job's row while it holds others. Enqueues
      with keys do wait: an enqueue with an idempotency key, a unique key or strict ordering waits for every open transaction that has taken
      the same key. It takes the locks of its ordering keys first, then the other keys. `AttemptCtes` and `CommandCtes` describe the locks
      of the statements that end attempts, and of administrative commands.

      The statements of the last three chapters only read, and lock nothing. Those that explain a job run in one `REPEATABLE READ` transaction, so
      that all of them read one state.
      """;

  private record Chapter(String title, List<String> classes) {

    Chapter(String title, String... classes) {
      this(title, List.of(classes));
    }
  }

  @Test
  void pageMatchesTheClassComments() throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    for (Chapter chapter : CHAPTERS) {
      page.append("\n## ").append(chapter.title()).append('\n');
      boolean isList = ONLY_READING.contains(chapter.title());
      if (isList) {
        page.append('\n');
      }
      for (String name : chapter.classes()) {
        if (isList) {
          page.append("- `%s`: %s\n".formatted(name, purpose(name)));
        } else {
          page.append("\n### ").append(name).append("\n\n").append(section(name));
        }
      }
    }
    if (System.getProperty("golden.write") != null) {
      Files.writeString(PAGE, page);
    }
    assertThat(page.toString()).isEqualTo(Files.readString(PAGE));
  }

  /** Returns the first sentence of a comment. */
  private static String purpose(String name) throws IOException {
    String text = plain(comment(name)).split("<p>|<pre>", -1)[0].replaceAll("\\s+", " ").strip();
    String sentence = BETWEEN_SENTENCES.split(text, -1)[0].replaceFirst(": `SELECT .*|:$", ".");
    return WRAP.matcher(sentence + " ").replaceAll("$1\n  ").strip();
  }

  private static String section(String name) throws IOException {
    String text = comment(name);
    StringBuilder section = new StringBuilder();
    Matcher sql = Pattern.compile("(?s)<pre>\\{@code\n(.*?)}</pre>").matcher(text);
    int end = 0;
    while (sql.find()) {
      section.append(prose(text.substring(end, sql.start()), end == 0));
      if (end == 0 && WITH_SQL.contains(name)) {
        section.append("```sql\n").append(sql.group(1)).append("```\n\n");
      }
      end = sql.end();
    }
    section.append(prose(text.substring(end), end == 0));
    return section.toString().strip().replaceAll(":(?=\\n\\n[^`]|$)", ".") + "\n";
  }

  /** Returns the class comment of a statement without the stars. */
  private static String comment(String name) throws IOException {
    Path file =
        SOURCES.stream()
            .map(folder -> folder.resolve(name + ".java"))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow();
    Matcher comment = CLASS_COMMENT.matcher(Files.readString(file));
    assertThat(comment.find()).as("a comment on %s", name).isTrue();
    return comment
        .group(1)
        .lines()
        .map(line -> line.replaceFirst("^\\s*\\*? ?", ""))
        .reduce("", (above, line) -> above + line + "\n");
  }

  /**
   * Returns the first paragraph, if the text is the beginning of a comment. Returns each other
   * paragraph from its first sentence about locks or waiting.
   */
  private static String prose(String javadoc, boolean beginning) {
    StringBuilder prose = new StringBuilder();
    boolean first = beginning;
    for (String paragraph : plain(javadoc).split("\\s*<p>", -1)) {
      String text = paragraph.replaceAll("\\s+", " ").strip();
      if (!first) {
        text =
            BETWEEN_SENTENCES
                .splitAsStream(text)
                .filter(sentence -> !REFERENCE.matcher(sentence).matches())
                .dropWhile(sentence -> !ABOUT_LOCKS.matcher(sentence).find())
                .collect(Collectors.joining(" "));
      }
      if (!text.isEmpty()) {
        prose.append(WRAP.matcher(text + " ").replaceAll("$1\n")).append('\n');
        first = false;
      }
    }
    return prose.toString();
  }

  private static String plain(String javadoc) {
    String plain = INLINE_TAG.matcher(javadoc).replaceAll("`$1`").strip();
    return plain.replaceAll("\\(docs/adr/(\\d{4})\\)", "(ADR $1)");
  }
}
