/** Tables as statements see them, with what decides how their rows can be read; values only. */
@NullMarked
package dev.cassidy.assist.model;

import org.jspecify.annotations.NullMarked;
