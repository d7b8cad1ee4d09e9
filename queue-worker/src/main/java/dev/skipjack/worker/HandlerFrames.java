package dev.skipjack.worker;

import java.util.StringJoiner;

/**
 * Writes the frames of a handler's thread as lines of a stack trace, innermost first.
 *
 * <p>The name of a class may contain any character but a few, even line breaks: programs generate
 * classes. Control characters are therefore replaced, so that a name cannot look like another
 * frame.
 */
final class HandlerFrames {

  static final int MOST = 80;
  static final int LONGEST = 300;

  private HandlerFrames() {}

  /** Returns the lines without the frames of the worker that called the handler. */
  static String text(StackTraceElement[] frames) {
    int length = length(frames);
    StringJoiner lines = new StringJoiner("\n");
    for (int i = 0; i < Math.min(length, MOST); i++) {
      lines.add("\tat " + line(frames[i]));
    }
    if (length > MOST) {
      lines.add("\t... %d more".formatted(length - MOST));
    }
    return lines.toString();
  }

  /** Returns how many frames are not those of the worker. */
  private static int length(StackTraceElement[] frames) {
    int length = frames.length;
    for (int i = frames.length - 1; i >= 0; i--) {
      if (frames[i].getClassName().equals(Invocation.class.getName())) {
        length = i;
        break;
      }
    }
    while (length > 0 && isOfWorker(frames[length - 1])) {
      length--;
    }
    return length == 0 ? frames.length : length;
  }

  /** Returns whether the worker has the frame between the handler's call and the handler. */
  private static boolean isOfWorker(StackTraceElement frame) {
    String name = frame.getClassName();
    return name.startsWith(Invocation.class.getName())
        || name.startsWith(HandlerRegistry.class.getName());
  }

  private static String line(StackTraceElement frame) {
    String text = frame.toString();
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), LONGEST); i++) {
      char c = text.charAt(i);
      boolean breaks = Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
      line.append(breaks ? '\uFFFD' : c);
    }
    return text.length() > LONGEST ? line + "..." : line.toString();
  }
}
