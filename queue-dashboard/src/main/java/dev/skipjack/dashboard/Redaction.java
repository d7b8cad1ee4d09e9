package dev.skipjack.dashboard;

import dev.skipjack.api.JobError;
import dev.skipjack.api.operations.HandlerStack;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Removes from texts what a user may not see.
 *
 * <p>An error message often repeats values of the payload. A user without the right to see payloads
 * therefore reads it without quoted texts and without words that contain a digit or an at sign, and
 * of a stack trace only the frames. The values of masked fields are hidden from every user.
 *
 * @param view the masked fields
 * @param payloads whether the user may see payloads
 */
record Redaction(PayloadView view, boolean payloads) {

  /** What is shown instead of a masked value. */
  static final String MASK = "•••";

  /** The library stores shorter errors. Longer ones come from other programs. */
  private static final int LONGEST_MESSAGE = 20_000;

  private static final int LONGEST_STACK = 100_000;

  private static final String WORD = "|[\\p{L}\\p{N}_@.+/=~%*-]++";

  /** A backslash before a quote may mean that it does not end the text, or not. Both are tried. */
  private static final List<Pattern> VALUES =
      List.of(
          Pattern.compile("\"[^\"]*+(?:\"|$)|(?<![\\p{L}\\p{N}])'[^']*+(?:'|$)" + WORD),
          Pattern.compile("\".*?(?:(?<!\\\\)\"|$)|(?<![\\p{L}\\p{N}])'.*?(?:(?<!\\\\)'|$)" + WORD));

  /** A star is what groups of errors show instead of a value, which may be only a part of it. */
  private static final Pattern HIDDEN_WORD = Pattern.compile("[\\p{N}@*\"']");

  private static final Pattern CLASS_NAME =
      Pattern.compile(
          "(?:Caused by: |Suppressed: )?([\\p{L}_$][\\p{L}\\p{N}_$]*+\\.[\\p{L}\\p{N}_$.]++)");

  /** The error follows a colon. That of a parked job is the whole reason. */
  private static final Pattern ERROR_IN_SENTENCE =
      Pattern.compile(
          "(.*?(?:[Ee]rror: |has failed to fire [^:]*: |Dead: (?=Parked )))(.*)", Pattern.DOTALL);

  /** Returns an error message. */
  @Nullable String message(@Nullable String message) {
    if (message == null) {
      return null;
    }
    String text = Ui.cut(message, LONGEST_MESSAGE);
    return payloads ? MaskedPairs.in(text, view) : withoutValues(firstLine(text));
  }

  private static String firstLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }

  /**
   * Hides what the text says between the masked values. Both are found in the original text, since
   * a masked value may contain a quote that begins or ends another one.
   */
  private String withoutValues(String text) {
    BitSet masked = new BitSet();
    BitSet starts = new BitSet();
    for (MaskedPairs.Value value : MaskedPairs.values(text, view)) {
      masked.set(value.start(), value.end());
      starts.set(value.start());
    }
    BitSet hidden = new BitSet();
    for (Pattern values : VALUES) {
      Matcher words = values.matcher(text);
      while (words.find()) {
        if (isHidden(text, words.start(), words.end(), masked)) {
          hidden.set(words.start(), words.end());
        }
      }
    }
    StringBuilder shown = new StringBuilder(text.length());
    boolean star = false;
    for (int i = 0; i < text.length(); i++) {
      if (starts.get(i)) {
        shown.append(MASK);
        star = false;
      }
      if (masked.get(i)) {
        continue;
      }
      if (!hidden.get(i)) {
        shown.append(text.charAt(i));
      } else if (!star) {
        shown.append('*');
      }
      star = hidden.get(i);
    }
    return shown + (starts.get(text.length()) ? MASK : "");
  }

  private static boolean isHidden(String text, int from, int to, BitSet masked) {
    Matcher hidden = HIDDEN_WORD.matcher(text).region(from, to);
    while (hidden.find()) {
      if (!masked.get(hidden.start())) {
        return true;
      }
    }
    return false;
  }

  /** Returns a sentence of the library, which may end with an error message. */
  String sentence(String sentence) {
    Matcher error = ERROR_IN_SENTENCE.matcher(sentence);
    return error.matches() ? error.group(1) + message(error.group(2)) : sentence;
  }

  /** Returns an error with its message and stack trace. */
  @Nullable JobError error(@Nullable JobError error) {
    if (error == null) {
      return null;
    }
    String message = message(error.message());
    return new JobError(
        VisibleReads.brief(error.errorClass()),
        message == null ? "" : message,
        stack(error.stack()));
  }

  /** Returns where a handler is. Only frames are shown to users without payloads. */
  @Nullable HandlerStack stack(@Nullable HandlerStack stack) {
    return stack == null
        ? null
        : new HandlerStack(stack.since(), stack(stack.stack()), message(stack.problem()));
  }

  private @Nullable String stack(@Nullable String stack) {
    if (stack == null) {
      return null;
    }
    String text = Ui.cut(stack, LONGEST_STACK);
    return payloads
        ? MaskedPairs.in(text, view)
        : text.lines()
            .map(Redaction::frame)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining("\n"));
  }

  /** Returns a line of a stack trace without the message of an exception, or an empty text. */
  private static String frame(String line) {
    String text = line.strip();
    if (line.startsWith("\t")
        && text.matches(
            "at [\\p{L}\\p{N}_$.@/<>~-]+\\((Native Method|Unknown Source|[^)\\s]*)\\)")) {
      return "\t" + text;
    }
    Matcher name = CLASS_NAME.matcher(text);
    return name.lookingAt() && (name.end() == text.length() || text.charAt(name.end()) == ':')
        ? name.group()
        : "";
  }
}
