/**
 * Stands for the part of a JVM that copies processes. {@code org.crac} finds it by the system property {@code
 * org.crac.Core.Compat}, and by the names of its classes. It notifies the registered resources, and copies nothing.
 */
@NullMarked
package dev.cassidy.crac;

import org.jspecify.annotations.NullMarked;
