"""The licence cases: a small repository each, and what must be said of one of its files."""

from dataclasses import dataclass

from ingest.licenses.records import ReadFrom, Verdict
from tests.ingest.licenses.small_repository import commented, kernel, text_of

P, B, U, C = Verdict.PERMISSIVE, Verdict.BLOCKED, Verdict.UNKNOWN, Verdict.CONFLICT
AT = "kernels/add.py"


@dataclass(frozen=True)
class Case:
    """`expression` and `read_from` are compared when they are given."""

    name: str
    files: dict[str, str | bytes]
    verdict: Verdict
    expression: str | None = None
    read_from: ReadFrom | None = None
    inherited: bool | None = None
    path: str = AT


MIT, BSD, APACHE = text_of("mit"), text_of("bsd-new"), text_of("apache-2.0")
TWO_CLAUSE, GPL, AGPL = text_of("bsd-simplified"), text_of("gpl-3.0"), text_of("agpl-3.0")
CONTRIBUTORS = "It " + text_of("generic-cla_1.RULE").replace("#", "").strip()
MIT_OF_ADA = "MIT License\n\nCopyright (c) 2023 Ada Lovelace\n\n" + MIT
BSD_OF_ADA = (
    "BSD 3-Clause License\n\nCopyright (c) 2023, Ada Lovelace\nAll rights reserved.\n\n" + BSD
)

META = """# Copyright (c) Meta Platforms, Inc. and affiliates.
# All rights reserved.
#
# This source code is licensed under the BSD-style license found in the
# LICENSE file in the root directory of this source tree.
"""
META_UNNAMED = META.replace("BSD-style license", "license")
APACHE_HEADER = """# Copyright 2024 The Authors.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""
GPL_HEADER = """# This program is free software: you can redistribute it and/or modify
# it under the terms of the GNU General Public License as published by
# the Free Software Foundation, either version 3 of the License, or
# (at your option) any later version.
"""
NVIDIA_PROPRIETARY = """# Copyright (c) 2023, NVIDIA CORPORATION. All rights reserved.
#
# NVIDIA CORPORATION and its licensors retain all intellectual property
# and proprietary rights in and to this software, related documentation
# and any modifications thereto. Any use, reproduction, disclosure or
# distribution of this software and related documentation without an express
# license agreement from NVIDIA CORPORATION is strictly prohibited.
"""
FROM_PYTORCH = (
    "# Adapted from https://github.com/pytorch/pytorch/blob/v2.7.0/torch/nn/functional.py#L100\n"
)
README_OF_EXAMPLE = (
    "# Kernels\n\nWritten at Example.\n\nThis project is licensed under the MIT License.\n"
)
LONG_HEADER = "".join(f"# Note {n}: tiles are swept in order of their rows.\n" for n in range(300))


def tag(value: str) -> str:
    return f"# SPDX-License-Identifier: {value}\n"


CASES = (
    # Tags
    Case("a licence file of one thing in the folder adds to the repository's",
         {AT: kernel(), "LICENSE": MIT_OF_ADA, "kernels/LICENSE.grace.txt": TWO_CLAUSE}, P,
         "BSD-2-Clause AND MIT"),
    Case("a licence file of one thing, blocked, blocks all beside it",
         {AT: kernel(), "LICENSE": MIT_OF_ADA, "kernels/LICENSE.grace.txt": GPL}, B),
    Case("a nested licence file that names its licence replaces the repository's",
         {AT: kernel(), "LICENSE": MIT_OF_ADA, "kernels/LICENSE-BSD.txt": TWO_CLAUSE}, P,
         "BSD-2-Clause"),
    Case("a tag alone, no LICENSE anywhere", {AT: kernel(tag("MIT"))}, P, "MIT",
         ReadFrom.SPDX_TAG, inherited=False),
    Case("a tag that agrees with the LICENSE", {AT: kernel(tag("MIT")), "LICENSE": MIT_OF_ADA}, P,
         "MIT", ReadFrom.SPDX_TAG),
    Case("lower-case ids", {AT: kernel(tag("apache-2.0"))}, P, "Apache-2.0"),
    Case("parentheses", {AT: kernel(tag("(MIT OR GPL-3.0-only) AND BSD-3-Clause"))}, P),
    Case("parentheses that change the answer",
         {AT: kernel(tag("(MIT AND BSD-3-Clause) AND (GPL-3.0-only OR LGPL-3.0-only)"))}, B),
    Case("an expression over two lines", {AT: kernel("# SPDX-License-Identifier: MIT AND\n"
         "#   GPL-3.0-or-later\n")}, B),
    Case("two tags, both permissive", {AT: kernel(tag("MIT") + tag("Apache-2.0"))}, P,
         "Apache-2.0 AND MIT"),
    Case("two tags, one of them blocked", {AT: kernel(tag("MIT") + tag("GPL-3.0-only"))}, B),
    Case("an invalid tag never inherits",
         {AT: kernel(tag("GNU Affero General Public License v3.0")), "LICENSE": MIT_OF_ADA}, U),
    Case("NONE is no licence", {AT: kernel(tag("NONE")), "LICENSE": MIT_OF_ADA}, U),
    Case("an id of somebody's own", {AT: kernel(tag("LicenseRef-House-Rules")),
         "LICENSE": MIT_OF_ADA}, U),
    Case("NVIDIA's proprietary id", {AT: kernel(tag("LicenseRef-NvidiaProprietary")),
         "LICENSE": APACHE}, B),
    Case("an empty tag", {AT: kernel(tag("")), "LICENSE": MIT_OF_ADA}, U),
    Case("a deprecated id of the GPL", {AT: kernel(tag("GPL-3.0+"))}, B, "GPL-3.0-or-later"),
    Case("a tag behind a block of code", {AT: kernel(end=tag("AGPL-3.0-only")),
         "LICENSE": MIT_OF_ADA}, B),
    Case("a tag in a string constant is about something else",
         {AT: kernel(end='\nTAG = "SPDX-License-Identifier: GPL-3.0-only"\n'),
          "LICENSE": MIT_OF_ADA}, P, "MIT", ReadFrom.REPOSITORY, inherited=True),
    Case("a tag in a docstring", {AT: kernel(docstring="Adds.\n\nSPDX-License-Identifier: MIT")},
         P, "MIT"),
    Case("a permissive tag over a text of the GPL",
         {AT: kernel(tag("MIT") + "\n" + GPL_HEADER)}, B),
    # Headers
    Case("Apache's short header", {AT: kernel(APACHE_HEADER)}, P, "Apache-2.0", ReadFrom.HEADER),
    Case("the whole text of the MIT licence, of NVIDIA, in a BSD repository",
         {AT: kernel("# Copyright (c) 2022 NVIDIA CORPORATION & AFFILIATES.\n"
          "# All rights reserved.\n#\n" + commented(MIT)), "LICENSE": BSD_OF_ADA}, P,
         "BSD-3-Clause AND MIT", ReadFrom.HEADER),
    Case("the GPL's header in an MIT repository", {AT: kernel(GPL_HEADER), "LICENSE": MIT_OF_ADA},
         B, "GPL-3.0-or-later", ReadFrom.HEADER),
    Case("an MIT header in a GPL repository", {AT: kernel(tag("MIT")), "LICENSE": GPL}, C),
    Case("a header under another permissive LICENSE", {AT: kernel(APACHE_HEADER),
         "LICENSE": BSD_OF_ADA}, P, "Apache-2.0 AND BSD-3-Clause"),
    Case("the LGPL in a few words", {AT: kernel("# Licensed under LGPL-2.1 or later.\n"),
         "LICENSE": MIT_OF_ADA}, B),
    Case("the AGPL in words", {AT: kernel(GPL_HEADER.replace("GNU General", "GNU Affero General")),
         "LICENSE": APACHE}, B),
    Case("the MPL's header", {AT: kernel("# This Source Code Form is subject to the terms of the "
         "Mozilla Public\n# License, v. 2.0. If a copy of the MPL was not distributed with this\n"
         "# file, You can obtain one at https://mozilla.org/MPL/2.0/.\n"), "LICENSE": MIT_OF_ADA},
         B, "MPL-2.0"),
    Case("a header of 300 lines, the licence at its end",
         {AT: kernel(LONG_HEADER + GPL_HEADER), "LICENSE": MIT_OF_ADA}, B),
    Case("a header of 300 lines, the licence at its start",
         {AT: kernel(APACHE_HEADER + LONG_HEADER), "LICENSE": APACHE}, P, "Apache-2.0"),
    Case("the whole GPL as a header", {AT: kernel(commented(GPL)), "LICENSE": MIT_OF_ADA}, B),
    Case("a licence in the middle of a file",
         {AT: kernel(tag("MIT"), end="\n" * 40 + GPL_HEADER + kernel())}, B),
    Case("non-commercial words at the end of a BSD text",
         {AT: kernel(commented(BSD) + "#\n# This work is also licensed under CC BY-NC 4.0.\n"),
          "LICENSE": BSD_OF_ADA}, B),
    Case("non-commercial, in plain words", {AT: kernel(commented(MIT) +
         "# The software may be used for non-commercial purposes only.\n")}, B),
    Case("a sentence slipped into the MIT text", {AT: kernel(commented(MIT.replace(
         "The above copyright", "Commercial use is prohibited. The above copyright")))}, B),
    Case("for research only", {AT: kernel("# This code is for research purposes only.\n"),
         "LICENSE": MIT_OF_ADA}, B),
    Case("proprietary and confidential", {AT: kernel("# (c) Example Corp. Confidential and "
         "proprietary.\n"), "LICENSE": BSD_OF_ADA}, B),
    Case("NVIDIA's proprietary header", {AT: kernel(NVIDIA_PROPRIETARY), "LICENSE": APACHE}, B),
    Case("unauthorised copying", {AT: kernel("# Unauthorized copying of this file, via any medium,"
         " is strictly prohibited.\n"), "LICENSE": MIT_OF_ADA}, B),
    Case("the Server Side Public License", {AT: kernel(tag("SSPL-1.0"))}, B),
    Case("a dual header in words", {AT: kernel(
         "# Licensed under either of the Apache License, Version 2.0 or the MIT license, at your "
         "option.\n")}, P),
    Case("CC BY-SA", {AT: kernel("# Licensed under CC BY-SA 4.0\n"), "LICENSE": MIT_OF_ADA}, B),
    Case("all rights reserved by somebody whom the LICENSE does not name",
         {AT: kernel("# Copyright (c) 2024 Example Corp. All rights reserved.\n"),
          "LICENSE": MIT_OF_ADA}, U),
    Case("all rights reserved by the one who grants them in the LICENSE",
         {AT: kernel("# Copyright (c) 2024 Ada Lovelace. All Rights Reserved.\n"),
          "LICENSE": MIT_OF_ADA}, P, "MIT", inherited=True),
    Case("all rights reserved by somebody whom a README with the same license names",
         {AT: kernel("# Copyright (c) 2024 Example Corp. All rights reserved.\n"),
          "LICENSE": MIT_OF_ADA, "README.md": README_OF_EXAMPLE}, P, "MIT", inherited=True),
    Case("all rights reserved by somebody whom the README does not name",
         {AT: kernel("# Copyright (c) 2024 Other Corp. All rights reserved.\n"),
          "LICENSE": MIT_OF_ADA, "README.md": README_OF_EXAMPLE}, U),
    Case("all rights reserved by somebody whom a README with another license names",
         {AT: kernel("# Copyright (c) 2024 Example Corp. All rights reserved.\n"),
          "LICENSE": MIT_OF_ADA, "README.md": README_OF_EXAMPLE.replace("MIT", "Apache-2.0")}, U),
    Case("all rights reserved and use forbidden by somebody whom the README names",
         {AT: kernel(NVIDIA_PROPRIETARY), "LICENSE": MIT_OF_ADA,
          "README.md": README_OF_EXAMPLE.replace("Example", "NVIDIA")}, B),
    Case("all rights reserved, no LICENSE",
         {AT: kernel("# Copyright (c) 2024 Example Corp.\n# All Rights Reserved.\n")}, U),
    Case("a declared __license__", {AT: kernel(end='\n__license__ = "GPL-3.0"\n'),
         "LICENSE": MIT_OF_ADA}, B),
    Case("Windows line ends", {AT: kernel(GPL_HEADER).replace("\n", "\r\n"),
         "LICENSE": MIT_OF_ADA}, B),
    Case("a header in Latin-1", {AT: ("# Copyright (c) 2023 Renée Müller\n" + GPL_HEADER +
         kernel()).encode("latin-1"), "LICENSE": MIT_OF_ADA}, B),
    Case("a file that no Python parses", {AT: GPL_HEADER + "def broken(:\n  '''\n",
         "LICENSE": MIT_OF_ADA}, B),
    # Docstrings and notes of origin
    Case("Apache provenance in a docstring", {AT: kernel(docstring=
         "Adds.\n\nAdapted from https://github.com/example/kernels, which is\n"
         "licensed under the Apache License, Version 2.0.\n"), "LICENSE": MIT_OF_ADA}, P,
         "Apache-2.0 AND MIT", ReadFrom.PROVENANCE),
    Case("a notice in a docstring", {AT: kernel(docstring="Adds.\n\n" + MIT)}, P, "MIT",
         ReadFrom.DOCSTRING),
    Case("the GPL in a docstring of a function", {AT: kernel(end="\n\ndef f():\n    '''\n    "
         + GPL_HEADER.replace("# ", "    ") + "    '''\n"), "LICENSE": MIT_OF_ADA}, B),
    Case("adapted from a GPL repository",
         {AT: kernel("# Adapted from https://github.com/example/kernels (GPL)\n"),
          "LICENSE": MIT_OF_ADA}, B),
    Case("adapted from a GPL-3.0 repository",
         {AT: kernel("# Adapted from https://github.com/example/kernels (GPL-3.0)\n"),
          "LICENSE": MIT_OF_ADA}, B, read_from=ReadFrom.PROVENANCE),
    Case("copied under the MIT License", {AT: kernel(
         "# Copied from https://github.com/example/kernels under the MIT License.\n"),
         "LICENSE": BSD_OF_ADA}, P, "BSD-3-Clause AND MIT", ReadFrom.PROVENANCE),
    Case("adapted from somewhere that states no licence",
         {AT: kernel("# Adapted from https://github.com/example/kernels\n"),
          "LICENSE": MIT_OF_ADA}, P, "MIT", inherited=True),
    Case("adapted from a file of a known repository",
         {AT: kernel(FROM_PYTORCH), "LICENSE": MIT_OF_ADA}, P, "BSD-3-Clause AND MIT",
         ReadFrom.PROVENANCE, inherited=True),
    Case("adapted from a file of a known repository under the repository's own license",
         {AT: kernel(FROM_PYTORCH), "LICENSE": BSD_OF_ADA}, P, "BSD-3-Clause", inherited=True),
    Case("adapted from a known repository, without a path",
         {AT: kernel("# Adapted from https://github.com/pytorch/pytorch\n"),
          "LICENSE": MIT_OF_ADA}, P, "MIT", inherited=True),
    Case("adapted from a fork with the name of a known repository",
         {AT: kernel(FROM_PYTORCH.replace("pytorch/pytorch", "someone/pytorch")),
          "LICENSE": MIT_OF_ADA}, P, "MIT", inherited=True),
    Case("adapted from a file of a known repository, no LICENSE", {AT: kernel(FROM_PYTORCH)}, U),
    Case("adapted from a file of a known repository, a GPL header",
         {AT: kernel(FROM_PYTORCH + GPL_HEADER), "LICENSE": MIT_OF_ADA}, B),
    Case("adapted from a file of a known repository, a GPL LICENSE",
         {AT: kernel(FROM_PYTORCH), "LICENSE": GPL}, B),
    Case("all rights reserved by the holders of the known repository that it comes from",
         {AT: kernel(FROM_PYTORCH + "#\n# Copyright (c) 2016- Facebook, Inc (Adam Paszke)\n"
          "# All rights reserved.\n"), "LICENSE": MIT_OF_ADA}, P, "BSD-3-Clause AND MIT",
         inherited=True),
    Case("from a known repository, all rights reserved by somebody else",
         {AT: kernel(FROM_PYTORCH + "#\n# Copyright (c) 2024 Example Corp. All rights reserved.\n"),
          "LICENSE": MIT_OF_ADA}, U),
    Case("the source of a kernel in a string, under the GPL",
         {AT: kernel(end="\nSOURCE = '''\n" + GPL_HEADER + "'''\n"), "LICENSE": MIT_OF_ADA}, U),
    # Pointers
    Case("the BSD-style licence found in the LICENSE file", {AT: kernel(META),
         "LICENSE": BSD_OF_ADA}, P, "BSD-3-Clause", ReadFrom.REFERENCE, inherited=False),
    Case("the same sentence, a GPL LICENSE", {AT: kernel(META), "LICENSE": GPL}, C),
    Case("the licence found in the LICENSE file, which is non-commercial",
         {AT: kernel(META_UNNAMED), "LICENSE": text_of("cc-by-nc-4.0")}, B),
    Case("the same sentence, no LICENSE", {AT: kernel(META)}, U),
    Case("see LICENSE", {AT: kernel("# See LICENSE for license information.\n"),
         "LICENSE": MIT_OF_ADA}, P, "MIT", ReadFrom.REFERENCE),
    Case("see LICENSE, the nearest one counts", {AT: kernel("# See the LICENSE file.\n"),
         "LICENSE": MIT_OF_ADA, "kernels/LICENSE": AGPL}, B),
    # LICENSE files
    Case("a headerless file inherits", {AT: kernel(), "LICENSE": MIT_OF_ADA}, P, "MIT",
         ReadFrom.REPOSITORY, inherited=True),
    Case("no licence anywhere", {AT: kernel()}, U),
    Case("limit, commit and primitive are no MIT", {AT: kernel(
         "# The limit of a commit is a primitive; submit, permit, omit.\n")}, U),
    Case("a nested AGPL under Apache", {AT: kernel(), "LICENSE": APACHE,
         "kernels/LICENSE": AGPL}, B, "AGPL-3.0-only", ReadFrom.NESTED, inherited=True),
    Case("a nested AGPL elsewhere", {AT: kernel(), "LICENSE": APACHE,
         "other/LICENSE": AGPL}, P, "Apache-2.0"),
    Case("an MIT header under a nested AGPL", {AT: kernel(tag("MIT")), "LICENSE": APACHE,
         "kernels/COPYING": AGPL}, C),
    Case("a nested MIT under the GPL", {AT: kernel(), "LICENSE": GPL,
         "kernels/LICENSE": MIT_OF_ADA}, C),
    Case("a nested BSD under MIT", {AT: kernel(), "LICENSE": MIT_OF_ADA,
         "kernels/LICENSE": BSD_OF_ADA}, P, "BSD-3-Clause", ReadFrom.NESTED),
    Case("LICENSE.rst", {AT: kernel(), "LICENSE.rst": "License\n=======\n\n" + BSD_OF_ADA}, P,
         "BSD-3-Clause"),
    Case("LICENCE.md", {AT: kernel(), "LICENCE.md": MIT_OF_ADA}, P, "MIT"),
    Case("COPYING", {AT: kernel(), "COPYING": GPL}, B),
    Case("UNLICENSE", {AT: kernel(), "UNLICENSE": text_of("unlicense")}, P, "Unlicense"),
    Case("CC0", {AT: kernel(), "LICENSE": text_of("cc0-1.0")}, P, "CC0-1.0"),
    Case("CC BY-NC for code", {AT: kernel(), "LICENSE": text_of("cc-by-nc-4.0")}, B,
         "CC-BY-NC-4.0"),
    Case("an empty LICENSE", {AT: kernel(), "LICENSE": "\n"}, U),
    Case("a truncated LICENSE", {AT: kernel(), "LICENSE": MIT[: len(MIT) // 2]}, U),
    Case("a LICENSE of words that nobody knows", {AT: kernel(),
         "LICENSE": "You may use this if you ask us nicely on a Tuesday."}, U),
    Case("a header cannot mend a LICENSE that can't be named", {AT: kernel(tag("MIT")),
         "LICENSE": "You may use this if you ask us nicely on a Tuesday."}, U),
    Case("the MIT text with the Commons Clause",
         {AT: kernel(), "LICENSE": text_of("commons-clause") + "\n" + MIT_OF_ADA}, B),
    Case("a condition added to the MIT text", {AT: kernel(), "LICENSE": MIT_OF_ADA +
         "\nThe Software may not be used to train other kernels.\n"}, U),
    Case("CC BY-NC behind a BSD text", {AT: kernel(), "LICENSE": BSD_OF_ADA +
         "\n\nThe weights and the code are under CC BY-NC 4.0.\n"}, B),
    Case("licences of others behind the repository's own", {AT: kernel(), "LICENSE": MIT_OF_ADA +
         "\n\nThird-party software\n\nThis repository includes code of glib:\n\n" + GPL}, P,
         "MIT", inherited=True),
    Case("THIRD_PARTY_LICENSES does not govern", {AT: kernel(), "LICENSE": MIT_OF_ADA,
         "THIRD_PARTY_LICENSES.txt": GPL}, P, "MIT"),
    Case("a word on whose the contributions are, before a BSD text", {AT: kernel(), "LICENSE":
         CONTRIBUTORS + "\nAll rights reserved.\n\n" + BSD}, P, "BSD-3-Clause"),
    Case("a word on whose the contributions are, and no licence", {AT: kernel(), "LICENSE":
         CONTRIBUTORS}, U),
    Case("two LICENSE files, a choice", {AT: kernel(), "LICENSE-MIT": MIT_OF_ADA,
         "LICENSE-APACHE": APACHE}, P, "Apache-2.0 OR MIT"),
    Case("two LICENSE files, one of them blocked", {AT: kernel(), "LICENSE-MIT": MIT_OF_ADA,
         "LICENSE-GPL": GPL}, B),
    Case("a LICENSE with Windows line ends", {AT: kernel(),
         "LICENSE": MIT_OF_ADA.replace("\n", "\r\n")}, P, "MIT"),
    Case("a LICENSE in Latin-1", {AT: kernel(),
         "LICENSE": MIT_OF_ADA.replace("Ada", "Renée").encode("latin-1")}, P, "MIT"),
    Case("only a README sentence", {AT: kernel(),
         "README.md": "# Kernels\n\nThis project is licensed under the MIT License.\n"}, U, "MIT",
         inherited=False),
    Case("a README that blocks is shown, the LICENSE decides", {AT: kernel(),
         "LICENSE": MIT_OF_ADA, "README.md": "The dataset is licensed under CC BY-NC 4.0."}, P),
    Case("only a NOTICE", {AT: kernel(), "NOTICE": APACHE_HEADER.replace("# ", "")}, U),
    Case("license.py is code", {AT: kernel(), "license.py": '"""GPL-3.0"""\n'}, U),
    # REUSE
    Case("a REUSE folder with REUSE.toml", {AT: kernel(), "LICENSES/MIT.txt": MIT,
         "LICENSES/GPL-3.0-only.txt": GPL, "REUSE.toml": 'version = 1\n[[annotations]]\n'
         'path = "kernels/**"\nSPDX-License-Identifier = "MIT"\n'}, P, "MIT", ReadFrom.SPDX_TAG),
    Case("REUSE.toml that blocks", {AT: kernel(), "LICENSE": MIT_OF_ADA, "REUSE.toml":
         'version = 1\n[[annotations]]\npath = ["docs/**", "kernels/*.py"]\n'
         'SPDX-License-Identifier = "GPL-3.0-or-later"\n'}, B),
    Case("a REUSE folder with dep5", {AT: kernel(), "LICENSES/BSD-3-Clause.txt": BSD,
         ".reuse/dep5": "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
         "\n\nFiles: kernels/*\n docs/*\nCopyright: 2024 Ada\nLicense: BSD-3-Clause\n"}, P,
         "BSD-3-Clause"),
    Case("a side file", {AT: kernel(), f"{AT}.license": "SPDX-FileCopyrightText: 2024 Ada\n\n"
         "SPDX-License-Identifier: LGPL-3.0-or-later\n", "LICENSE": MIT_OF_ADA}, B),
    Case("a REUSE folder with one text", {AT: kernel(), "LICENSES/MIT.txt": MIT}, P, "MIT"),
    Case("a REUSE folder with several texts says nothing of a headerless file",
         {AT: kernel(), "LICENSES/MIT.txt": MIT, "LICENSES/GPL-3.0-only.txt": GPL}, U),
)  # fmt: skip
