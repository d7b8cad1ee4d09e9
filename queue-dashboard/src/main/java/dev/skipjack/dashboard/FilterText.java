package dev.skipjack.dashboard;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.JobQuery;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The filter language of the job list: words such as {@code queue:emails status:dead error:"timed
 * out" payload.user.id:42}. Both directions: {@link #parse} reads a filter, {@link #of} writes one
 * that reads the same.
 */
final class FilterText {

  private static final String ENDED = "ended";

  private static final String WORDS =
      "queue, kind, status, group, tag, error, class, error-group, since and payload.FIELD";

  private static final Pattern WORD =
      Pattern.compile(
          "\\s*([A-Za-z_][^\\s:\"]*):(?:\"((?:[^\"\\\\]|\\\\.){0,2000})\"|((?!\")\\S*))(?=\\s|$)");

  private FilterText() {}

  /**
   * Returns the query of a filter.
   *
   * @param now the time from which {@code since:2h} is counted
   * @throws Refusal if the filter cannot be understood
   */
  static JobQuery parse(String text, Instant now) {
    List<String[]> words = new ArrayList<>();
    Matcher word = WORD.matcher(text);
    int end = 0;
    while (end < text.length() && word.region(end, text.length()).lookingAt()) {
      String quoted = word.group(2);
      words.add(
          new String[] {
            word.group(1), quoted == null ? word.group(3) : quoted.replaceAll("\\\\(.)", "$1")
          });
      end = word.end();
    }
    if (!text.substring(end).isBlank()) {
      throw Refusal.badInput(
          "'%s' is not a filter. Write words such as queue:emails or status:dead; the words are %s."
              .formatted(Ui.cut(text.substring(end).strip(), 80), WORDS));
    }
    return query(words, now);
  }

  private static JobQuery query(List<String[]> words, Instant now) {
    boolean ended = words.stream().anyMatch(word -> word[0].equals("status") && !isLive(word[1]));
    JobQuery query = ended ? JobQuery.archived() : JobQuery.live();
    for (String[] word : words) {
      try {
        query = with(query, word[0], word[1], now);
      } catch (IllegalArgumentException rejected) {
        throw Refusal.badInput(String.valueOf(rejected.getMessage()));
      }
    }
    return query;
  }

  private static boolean isLive(String status) {
    return Stream.of(JobStatus.values())
            .noneMatch(ended -> !ended.isLive() && ended.literal().equals(status))
        && !status.equals(ENDED);
  }

  private static JobQuery with(JobQuery query, String word, String value, Instant now) {
    if (value.isEmpty() && !word.equals("error-group")) {
      throw Refusal.badInput("'%s:' needs a value.".formatted(Ui.cut(word, 80)));
    }
    return switch (word) {
      case "queue" -> query.queue(value);
      case "kind" -> query.kind(value);
      case "status" -> value.equals(ENDED) ? query : query.status(status(value));
      case "group" -> query.group(value);
      case "tag" -> query.tag(value);
      case "error" -> query.error(value);
      case "class" -> query.errorClass(value);
      case "error-group" -> query.errorGroup(value);
      case "since" -> query.since(time(value, now));
      default -> {
        if (!word.startsWith("payload.") || word.length() == "payload.".length()) {
          throw Refusal.badInput(
              "There is no word '%s'. The words are %s.".formatted(Ui.cut(word, 80), WORDS));
        }
        yield query.payload(word.substring("payload.".length()), value);
      }
    };
  }

  private static JobStatus status(String value) {
    try {
      return JobStatus.of(value);
    } catch (IllegalArgumentException unknown) {
      throw Refusal.badInput(
          "There is no status '%s'. Use pending, running, waiting, dead, completed, cancelled or ended."
              .formatted(Ui.cut(value, 80)));
    }
  }

  private static Instant time(String value, Instant now) {
    if (Fields.isDuration(value)) {
      return now.minus(Fields.duration(value));
    }
    try {
      return Instant.parse(value);
    } catch (DateTimeException malformed) {
      throw Refusal.badInput(
          "'since:%s' must be a time such as 2026-12-01T08:00:00Z, or how long ago, for example 2h."
              .formatted(Ui.cut(value, 80)));
    }
  }

  /** Returns the filter of a query, with an absolute time. */
  static String of(JobQuery query) {
    List<String> words = new ArrayList<>();
    add(words, "queue", query.queue());
    add(words, "kind", query.kind());
    if (query.order() == JobOrder.FINISHED && query.status() == null) {
      add(words, "status", ENDED);
    }
    add(words, "status", query.status() == null ? null : query.status().literal());
    add(words, "group", query.group());
    add(words, "tag", query.tag());
    add(words, "error", query.error());
    add(words, "class", query.errorClass());
    add(words, "error-group", query.errorGroup());
    add(words, "since", query.since() == null ? null : query.since().toString());
    JobQuery.PayloadField field = query.payload();
    if (field != null) {
      add(words, "payload." + String.join(".", field.path()), field.value());
    }
    return String.join(" ", words);
  }

  private static void add(List<String> words, String word, @Nullable String value) {
    if (value != null) {
      words.add(word + ":" + quoted(value));
    }
  }

  static String quoted(String value) {
    return value.matches("[^\\s\"\\\\]+")
        ? value
        : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Returns the word for an action in addresses and tables. */
  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
