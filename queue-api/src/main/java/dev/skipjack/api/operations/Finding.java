package dev.skipjack.api.operations;

import org.jspecify.annotations.Nullable;

/**
 * The result of one check of the {@link Doctor}.
 *
 * @param check the name of the check, for use by programs, for example {@code vacuum-horizon}
 * @param level how serious the finding is
 * @param sentence what was found, for operators; the wording may change between versions
 * @param meaning what a finding of this check means for the queue
 * @param fix the action that solves the problem; null if the level is {@link Level#GREEN}
 */
public record Finding(
    String check, Level level, String sentence, String meaning, @Nullable Fix fix) {

  /** How serious a finding is, least serious first. */
  public enum Level {
    /** The check found no problem. */
    GREEN,
    /**
     * The check was skipped, because the role may not read the required data or the server does not
     * provide it.
     */
    NOT_CHECKED,
    /** The queue works, but a guarantee is weakened or a problem is getting worse. */
    YELLOW,
    /** Jobs do not run, or committed work may be lost. */
    RED
  }
}
