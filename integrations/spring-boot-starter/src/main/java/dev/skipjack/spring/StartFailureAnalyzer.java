package dev.skipjack.spring;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Shows why the queue, its worker or its relay has refused to start, without a stack trace.
 *
 * <p>Recognizes the exceptions that classes of Skipjack throw themselves. Their messages begin with
 * the problem, which becomes the description; most of them end with the fix.
 */
final class StartFailureAnalyzer implements FailureAnalyzer {

  private static final String OURS = "dev.skipjack.";

  /** Matches the space before the first sentence of a fix. */
  private static final Pattern BEFORE_FIX =
      Pattern.compile(
          "(?<=[.]) (?=(If|Add|Annotate|Change|Choose|Correct|Declare|Define|Fix|Give|Initialize"
              + "|Keep|Make|Mark|Move|Name|Pass|Put|Register|Remove|Return|Run|Set|Take|Use"
              + "|Write) )");

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (isRefusal(each)) {
        return analysis(each, failure);
      }
    }
    return null;
  }

  private static boolean isRefusal(Throwable thrown) {
    StackTraceElement[] frames = thrown.getStackTrace();
    return (thrown instanceof IllegalArgumentException || thrown instanceof IllegalStateException)
        && thrown.getMessage() != null
        && frames.length > 0
        && frames[0].getClassName().startsWith(OURS);
  }

  private static FailureAnalysis analysis(Throwable refusal, Throwable failure) {
    String message = String.valueOf(refusal.getMessage());
    String[] parts = BEFORE_FIX.split(message, 2);
    return new FailureAnalysis(
        parts[0] + reason(refusal, message), parts.length == 1 ? null : parts[1], failure);
  }

  /** Returns the reason of the innermost exception if the message does not contain it. */
  private static String reason(Throwable refusal, String message) {
    Throwable innermost = refusal;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String reason = innermost.getMessage();
    return reason == null || message.contains(reason) ? "" : "%n%nReason: %s".formatted(reason);
  }
}
