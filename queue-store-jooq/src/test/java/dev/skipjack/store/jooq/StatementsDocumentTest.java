package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

  private static final Pattern SQL = Pattern.compile("(?s)<pre>\\{@code\n.*?}</pre>");

  private static final Pattern ABOUT_LOCKS =
      Pattern.compile("\\b(lock(s|ed|ing)?|deadlocks?|waits?|busy)\\b", Pattern.CASE_INSENSITIVE);

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
              "EnqueueOnceStatement",
              "ClaimStatement"),
          new Chapter(
              "Fair queues and limits",
              "LockLimitStatement",
              "LockGroupsStatement",
              "ClaimGroupsStatement",
              "ThrottleStatement"),
          new Chapter("Unique jobs", "UniqueInsert", "ResolveConflictStatement"),
          new Chapter(
              "The end of an attempt",
              "AttemptCtes",
              "HeartbeatStatement",
              "ProgressStatement",
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
              "PruneStatement"),
          new Chapter(
              "Maintenance",
              "PruneKeysStatement",
              "PruneRateUsesStatement",
              "CreatePartitionStatement",
              "PruneArchiveStatement",
              "AddMinuteStatement",
              "AddDepthsStatement",
              "PruneMinutesStatement"),
          new Chapter("Workers", "AnnounceStatement", "RemoveWorkersStatement"),
          new Chapter(
              "Schedules",
              "FireSchedulesStatement",
              "PostponeSchedulesStatement",
              "LockSchedulesStatement",
              "WriteSchedulesStatement"),
          new Chapter(
              "The outbox",
              "RecordStatement",
              "LeaseShardsStatement",
              "LeaseWrites",
              "EventWrites"));

  private static final String HEAD =
      """
      # The statements

      This page says what the statements that write do and what they lock. It leaves out those that change settings, limits and the records of
      operations. All others only read, and lock nothing. Each statement is a class, whose comment has its shortened SQL. `src/test/resources/sql` of
      its module has the full text, for example of [the claim](../queue-store-jooq/src/test/resources/sql/claim.sql), which a test compares with what
      the class renders. `StatementsDocumentTest` generates this page from those comments.

      All statements run as constant text, with index scans and generic plans only ([ADR 0007](adr/0007-constant-text-behind-set-local.md)).
      Each of the queue's own transactions begins, in the same round trip, with `SET TRANSACTION ISOLATION LEVEL READ COMMITTED`, and sets
      `enable_seqscan = off` and `plan_cache_mode = force_generic_plan` until it ends. In a caller's transaction, these settings are changed for
      the statement and then restored. The enqueue of a single job needs none of this and is sent alone. `search_path` is restored at the end of
      each round trip ([ADR 0017](adr/0017-statements-search-pg-catalog-only.md)).

      Writes of many jobs lock them in id order, or skip locked jobs. None of them waits for a job's row while it holds others. Enqueues
      with keys do wait: an enqueue with an idempotency key, a unique key or strict ordering waits for every open transaction that has taken
      the same key. It takes the locks of its ordering keys first, then the other keys. `AttemptCtes` and `CommandCtes` describe the locks
      of the statements that end attempts, and of administrative commands.

      The statements that explain a job run in one `REPEATABLE READ` transaction, so that all of them read one state.
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
      for (String name : chapter.classes()) {
        page.append("\n### ").append(name).append("\n\n").append(section(name));
      }
    }
    if (System.getProperty("golden.write") != null) {
      Files.writeString(PAGE, page);
    }
    assertThat(page.toString()).isEqualTo(Files.readString(PAGE));
  }

  private static String section(String name) throws IOException {
    String text = comment(name);
    StringBuilder section = new StringBuilder();
    for (String part : SQL.splitAsStream(text).toList()) {
      section.append(prose(part, section.isEmpty()));
    }
    return section.toString().strip().replaceAll(":(?=\\n\\n|$)", ".") + "\n";
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
   * paragraph from its first to its last sentence about locks or waiting.
   */
  private static String prose(String javadoc, boolean beginning) {
    StringBuilder prose = new StringBuilder();
    boolean first = beginning;
    for (String paragraph : plain(javadoc).split("\\s*<p>", -1)) {
      String text = paragraph.replaceAll("\\s+", " ").strip();
      if (!first) {
        text = String.join(" ", aboutLocks(BETWEEN_SENTENCES.split(text)));
      }
      if (!text.isEmpty()) {
        prose.append(WRAP.matcher(text + " ").replaceAll("$1\n")).append('\n');
        first = false;
      }
    }
    return prose.toString();
  }

  private static List<String> aboutLocks(String[] sentences) {
    List<String> rest =
        Stream.of(sentences)
            .filter(sentence -> !REFERENCE.matcher(sentence).matches())
            .dropWhile(sentence -> !ABOUT_LOCKS.matcher(sentence).find())
            .toList();
    int end = rest.size();
    while (end > 0 && !ABOUT_LOCKS.matcher(rest.get(end - 1)).find()) {
      end--;
    }
    return rest.subList(0, end);
  }

  private static String plain(String javadoc) {
    String plain = INLINE_TAG.matcher(javadoc).replaceAll("`$1`").strip();
    return plain.replaceAll("\\(docs/adr/(\\d{4})\\)", "(ADR $1)");
  }
}
