text = "import sys\n\n\ndef frame():\n    return sys._getframe()\n"
exec(compile(text, torch.__file__, "exec"))
